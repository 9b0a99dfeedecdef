# Opens WinRM, and makes the administrator that Packer connects as. Packer gives the user a password of its own through the
# metadata of the machine.
winrm quickconfig -quiet
winrm set winrm/config/service/auth '@{Basic="true"}'
net user packer_user /add
net localgroup Administrators packer_user /add
