import type { Migration } from './migration.ts'

/**
 * End dates of users. The date itself is in the user's row, where every check finds it; `user_ends` has a row for each user with one,
 * for jobs and filters: an index on the large table would have to read all of it. `end_recorded` is 1 once the end has its record; `noticed` counts the notices
 * of a coming end to the user, and `digested` how many of them administrators know of.
 *
 * No column of `users` is called `expires_at`: queries of 0.3.0 join sessions, which have one, and name it alone.
 *
 * A node of 0.3.0 that changes such a user during an upgrade writes a document without the date, which the triggers put back.
 */
const statements = (text: string) => [
  `ALTER TABLE users ADD COLUMN access_ends_at ${text}`,
  'ALTER TABLE users ADD COLUMN end_recorded integer NOT NULL DEFAULT 0',
  // With another date a stored resource of SCIM is out of date.
  `ALTER TABLE scim_documents ADD COLUMN access_ends_at ${text}`,
  `CREATE TABLE user_ends (
     user_id    ${text} PRIMARY KEY,
     expires_at ${text} NOT NULL,
     recorded   integer NOT NULL,
     noticed    integer NOT NULL DEFAULT 0,
     digested   integer NOT NULL DEFAULT 0
   )`,
  'CREATE INDEX user_ends_expiry ON user_ends (expires_at)',
  'CREATE INDEX user_ends_due ON user_ends (expires_at) WHERE recorded = 0',
]

const isOlder = (find: string) =>
  `NEW.access_ends_at IS NOT NULL AND ${find}(NEW.document, '"expires_at":"' || NEW.access_ends_at) = 0`
const completed = (find: string) => {
  const place = `${find}(NEW.document, ',"attributes":')`
  return `substr(NEW.document, 1, ${place} - 1) || ',"expires_at":"' || NEW.access_ends_at || '"' || substr(NEW.document, ${place})`
}

export const endDates: Migration = {
  name: '0071-end-dates',
  needs: '0003-several-nodes',
  sqlite: [
    ...statements('TEXT'),
    `CREATE TRIGGER users_with_end_written_by_older_release AFTER UPDATE OF document ON users
     WHEN ${isOlder('instr')} AND instr(NEW.document, ',"attributes":') > 0 BEGIN
       UPDATE users SET document = ${completed('instr')} WHERE user_id = NEW.user_id;
     END`,
    `CREATE TRIGGER users_with_end_deleted AFTER DELETE ON users WHEN OLD.access_ends_at IS NOT NULL BEGIN
       DELETE FROM user_ends WHERE user_id = OLD.user_id;
     END`,
  ],
  postgres: [
    ...statements('text COLLATE "C"'),
    `CREATE FUNCTION put_back_end_date() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       NEW.document := ${completed('strpos')};
       RETURN NEW;
     END $$`,
    // After the trigger that completes the documents of 0.2.0, by its name.
    `CREATE TRIGGER users_written_by_older_release_without_end BEFORE UPDATE OF document ON users
     FOR EACH ROW WHEN (${isOlder('strpos')} AND strpos(NEW.document, ',"attributes":') > 0)
     EXECUTE FUNCTION put_back_end_date()`,
    `CREATE FUNCTION remove_end_left_behind() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
     BEGIN
       DELETE FROM user_ends WHERE user_id = OLD.user_id;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER users_with_end_deleted AFTER DELETE ON users
     FOR EACH ROW WHEN (OLD.access_ends_at IS NOT NULL) EXECUTE FUNCTION remove_end_left_behind()`,
  ],
}
