"""Cases of deploy.py with the real Packer, and one with a fake Packer and gcloud."""
import os, pathlib, shutil

from case import HERE, ROOT, has, same


def without(program, path):
    """The folders of PATH that do not have a program, which destroying does not need; then Terraform has to be elsewhere."""
    return ":".join(folder for folder in path.split(":") if not os.access(pathlib.Path(folder) / program, os.X_OK))


def an_image_is_built_in_order(new):
    case = new("image.yaml")
    done = case.run("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
    same(f"status: {done.stderr}", done.returncode, 0)
    same("order", case.lines(), ["made net", "built image in nothing net", "made nodes"])
    said = case.deploy()
    has("again", said, "image: the image exists and is up to date: Null")
    same("not built again", len(case.lines()), 3)
    case.edit("image in", "picture in")
    has("plan", case.run("plan", "blueprint.yaml").stdout, "group image (packer, from the definitions): ")
    case.deploy()
    same("built again", case.lines()[3:], ["built picture in nothing net"])
    case.deploy("--rebuild", "--only", "image")
    same("built again", case.lines()[4:], ["built picture in nothing net"])
    packer = case.folder / "bin/packer"
    packer.rename(case.folder / "packer")
    path, case.environment["PATH"] = case.environment["PATH"], f"{case.folder}/bin:{without('packer', case.environment['PATH'])}"
    said = case.destroy()
    case.environment["PATH"] = path
    has("image is kept", said, "image: kept: Null (`--images` removes it, too)")
    same("destroyed", case.lines()[5:], ["destroyed nodes", "destroyed net"])
    has("requested", case.destroy("--images"), "image: remove Null of the builder `fnoeding.null` yourself")


def an_image_of_groups_in_a_backend_is_destroyed_alone(new):
    case = new("image.yaml")
    case.edit("vars: {", f"terraform_backend_defaults: {{type: local, configuration: {{path: {case.folder}/state}}}}\nvars: {{")
    case.run("create", "blueprint.yaml")
    has("nothing is there", case.destroy("--only", "image"), "deployment `image` is destroyed; its folder stays")


def a_failed_image_shows_the_line_of_the_blueprint(new):
    case = new("image.yaml")
    case.touch("broken-image")
    said = case.deploy(status=1)
    has("message", said, "error[E0506]: the image of module `custom` could not be built: `packer` exited with status 1\n"
        "  --> blueprint.yaml:10:9")
    has("Packer's output", said, "exit status: 3")
    (case.folder / "broken-image").unlink()
    case.deploy()
    same("order", case.lines(), ["made net", "built image in nothing net", "made nodes"])


def a_killed_build_is_repeated(new):
    case = new("image.yaml")
    # version, validate, build
    case.kill_at_call(3, "deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
    said = case.deploy()
    has("already deployed", said, "network: already applied before")
    same("order", case.lines(), ["made net", "built image in nothing net", "made nodes"])


def only_its_images_are_removed(new):
    """With a fake Packer and gcloud."""
    case = new("image.yaml")
    for name in ("packer", "gcloud"):
        (case.folder / "bin" / name).unlink(missing_ok=True)
        shutil.copy(ROOT / "tests/fakes/cloud" / name, case.folder / "bin" / name)
    case.environment["FAKE_LOG"] = str(case.folder / "cloud-log")
    case.edit("text: \"image", "project_id: my-project, text: \"image")
    (case.folder / "modules/image/image.pkr.hcl").write_text(
        (HERE / "modules/image/image.pkr.hcl").read_text() + "variable \"project_id\" {\n  type = string\n}\n")
    case.deploy()
    case.deploy("--rebuild")
    case.destroy()
    same("no image is removed without --images", [l for l in case.lines("cloud-log") if l.startswith("gcloud")], [])
    case.destroy("--images")
    same("removed images", [l for l in case.lines("cloud-log") if l.startswith("gcloud")],
         [f"gcloud compute images delete fake-image-{n} --project=my-project --quiet" for n in (2, 1)])
    case.destroy("--images")
    same("removed once", len([l for l in case.lines("cloud-log") if l.startswith("gcloud")]), 2)


PACKER = [an_image_is_built_in_order, an_image_of_groups_in_a_backend_is_destroyed_alone, a_failed_image_shows_the_line_of_the_blueprint, a_killed_build_is_repeated,
          only_its_images_are_removed]
