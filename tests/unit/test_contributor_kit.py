"""The files for contributors agree with each other: make targets, CI workflow, hooks, tools of the page."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from shared.runtime.version import VERSION

ROOT = Path(__file__).parents[2]


def read(path: str) -> str:
    return (ROOT / path).read_text()


def test_make_alone_lists_every_documented_target() -> None:
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in re.findall(r"^([a-z-]+):.*## ", read("Makefile"), re.MULTILINE):
        assert re.search(rf"^  {target} ", listed, re.MULTILINE), target


def test_ci_runs_the_make_targets_on_every_supported_python() -> None:
    jobs: dict[str, Any] = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]
    commands = [step["run"] for step in jobs["test"]["steps"] if "run" in step]
    assert commands[-1] == "make test"
    assert jobs["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert 'requires-python = ">=3.11"' in read("pyproject.toml")


def test_a_warning_of_the_docs_site_is_an_error() -> None:
    (build,) = re.findall(r"mkdocs build.*", read("Makefile"))
    assert build == "mkdocs build --strict"  # with --quiet there are no warnings to count


def test_ci_audits_the_dependencies() -> None:
    jobs: dict[str, Any] = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]
    assert any("pip_audit" in step.get("run", "") for step in jobs["audit"]["steps"])


def test_vulnerabilities_are_reported_privately() -> None:
    policy = read("SECURITY.md")
    assert "private" in policy
    assert "## Supported versions" in policy
    assert "@" not in policy


def test_the_ci_script_ends_with_the_same_target() -> None:
    assert read(".ci/run").splitlines()[-1] == "make test"


def test_hooks_run_installed_tools_only() -> None:
    repositories = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert [repository["repo"] for repository in repositories] == ["local"]
    assert all(hook["language"] == "system" for hook in repositories[0]["hooks"])


def test_the_tools_of_the_page_are_for_development_only() -> None:
    package: dict[str, Any] = json.loads(read("package.json"))
    assert package["private"] is True
    assert "dependencies" not in package
    assert "package-lock=false" in read(".npmrc")
    assert not (ROOT / "package-lock.json").exists()


def test_the_packages_have_one_version() -> None:
    assert json.loads(read("clients/javascript/package.json"))["version"] == VERSION
    assert re.findall(r"^## (\d\S*) - \d{4}-\d\d-\d\d$", read("CHANGELOG.md"), re.MULTILINE)[0] == VERSION


def test_the_npm_package_has_the_license_of_the_project() -> None:
    """npm packs the file LICENSE of the package's folder, and no link to one outside."""
    assert read("clients/javascript/LICENSE") == read("LICENSE")
    assert f'license = "{json.loads(read("clients/javascript/package.json"))["license"]}"' in read("pyproject.toml")


def test_the_docs_name_the_files_of_the_present_version() -> None:
    texts = [page.read_text() for page in (ROOT / "docs").rglob("*.md")]
    named = {version for text in texts for version in re.findall(r"\btavolata-(?:client-)?(\d+\.\d+\.\d+)", text)}
    assert named == {VERSION}


def test_a_tag_builds_and_tries_the_wheel_and_builds_a_labelled_image() -> None:
    workflow: dict[Any, Any] = yaml.safe_load(read(".github/workflows/release.yml"))
    assert workflow[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as true
    commands = [step["run"] for step in workflow["jobs"]["wheel"]["steps"] if "run" in step]
    assert "make dist" in commands
    assert any("tavolata up" in command for command in commands)
    assert workflow["jobs"]["image"]["needs"] == "wheel"
    assert workflow["jobs"]["release"]["needs"] == "image"
    arguments = [step.get("with", {}).get("build-args", "") for step in workflow["jobs"]["image"]["steps"]]
    assert any("VERSION=" in text and "REVISION=" in text for text in arguments)
    labels = set(re.findall(r"org\.opencontainers\.image\.(\w+)=", read("deploy/docker/Dockerfile")))
    assert labels == {"title", "description", "licenses", "version", "revision"}
