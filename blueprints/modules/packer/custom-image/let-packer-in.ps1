# Opens WinRM, and creates the administrator that Packer connects as. Packer sets the user's password through the machine's
# metadata.
winrm quickconfig -quiet
winrm set winrm/config/service/auth '@{Basic="true"}'
net user packer_user /add
net localgroup Administrators packer_user /add
