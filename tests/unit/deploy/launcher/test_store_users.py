"""The users of the embedded store and their passwords."""

from pathlib import Path

from deploy.launcher.store_users import ROLES, StoreUsers


def test_passwords_are_kept_in_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "valkey.conf"
    users = StoreUsers.kept_in(file)
    file.write_text(users.config())
    assert StoreUsers.kept_in(file) == users
    assert len(set(users.passwords.values())) == len(ROLES)


def test_every_role_has_a_user_and_the_default_user_is_off() -> None:
    config = StoreUsers({role: f"secret-{role}" for role in ROLES}).config()
    assert "user default off" in config.splitlines()
    assert all(f"user {role} on >secret-{role} " in config for role in ROLES)
    assert "@operator@" not in config


def test_a_configuration_without_users_gets_new_passwords(tmp_path: Path) -> None:
    file = tmp_path / "valkey.conf"
    file.write_text("appendonly yes\n")
    first, second = StoreUsers.kept_in(file), StoreUsers.kept_in(file)
    assert not set(first.passwords.values()) & set(second.passwords.values())
