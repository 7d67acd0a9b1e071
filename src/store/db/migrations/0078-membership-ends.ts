import type { Migration } from './migration.ts'

/**
 * End dates of memberships: a row for each membership with one. `noticed` counts the notices of a coming end to the user, and `digested` how many of
 * them administrators know of. `ending_roles` of a user are those of `group_roles` that all memberships with the role end, so that the rule of the
 * last administrator reads one row. `group_ends` of a deleted user holds the dates by group, for a restoration.
 *
 * A date is removed with its membership by a trigger, because nodes of 0.3.0 remove memberships as well.
 */
const statements = (text: string) => [
  `CREATE TABLE membership_ends (
     group_id   ${text} NOT NULL,
     user_id    ${text} NOT NULL,
     expires_at ${text} NOT NULL,
     noticed    integer NOT NULL DEFAULT 0,
     digested   integer NOT NULL DEFAULT 0,
     PRIMARY KEY (group_id, user_id)
   )`,
  'CREATE INDEX membership_ends_expiry ON membership_ends (expires_at)',
  'CREATE INDEX membership_ends_user ON membership_ends (user_id)',
  `ALTER TABLE users ADD COLUMN ending_roles ${text} NOT NULL DEFAULT ''`,
  `ALTER TABLE deleted_users ADD COLUMN group_ends ${text} NOT NULL DEFAULT '{}'`,
]

export const membershipEnds: Migration = {
  name: '0078-membership-ends',
  needs: '0003-several-nodes',
  sqlite: [
    ...statements('TEXT'),
    `CREATE TRIGGER membership_removed AFTER DELETE ON group_members BEGIN
       DELETE FROM membership_ends WHERE group_id = OLD.group_id AND user_id = OLD.user_id;
     END`,
  ],
  postgres: [
    ...statements('text COLLATE "C"'),
    `CREATE FUNCTION remove_membership_ends() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
     BEGIN
       DELETE FROM membership_ends USING removed
       WHERE membership_ends.group_id = removed.group_id AND membership_ends.user_id = removed.user_id;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER membership_removed AFTER DELETE ON group_members REFERENCING OLD TABLE AS removed
     FOR EACH STATEMENT EXECUTE FUNCTION remove_membership_ends()`,
  ],
}
