import type { Migration } from './migration.ts'

/**
 * Completes the document of a user whom a node of 0.2.0 or 0.1.0 writes, during an upgrade or after the way back: it knows
 * neither the newer members nor that a new address is not verified and that a user with a password is no longer invited. Here
 * instead of in each reader, because lists are read as they are stored. Every document of this release names `attributes`, and no
 * value can contain that text, because its quotation marks would be escaped.
 */
const isOlder = (find: string) => `${find}(NEW.document, '"attributes":') = 0`
const inSqlite = (name: string) => `CASE WHEN ${name} IS NULL THEN '' ELSE ',"${name}":' || json_quote(${name}) END`
const inPostgres = (name: string) =>
  `CASE WHEN NEW.${name} IS NULL THEN '' ELSE ',"${name}":' || to_json(NEW.${name})::text END`

/** In the order in which this release writes them. */
const members = (of: string, text: (name: string) => string) =>
  [
    text('managed_by'),
    `CASE WHEN ${of}email_verified = 1 THEN ',"email_verified":true' ELSE '' END`,
    `CASE WHEN ${of}invited = 1 THEN ',"invited":true' ELSE '' END`,
    text('locale'),
    `CASE WHEN ${of}kind = 'service' THEN ',"kind":"service"' ELSE '' END`,
    `',"attributes":' || ${of}attributes || '}'`,
  ].join(' || ')

const complete = `UPDATE users SET document = substr(document, 1, length(document) - 1) || ${members('', inSqlite)}
  WHERE user_id = NEW.user_id;`

/** What this release removes before it deletes a user: a value would stay taken, a key and a membership in force. */
const leftBehind = ['attribute_values', 'group_members', 'api_keys']
const removeLeftBehind = [
  `UPDATE user_groups SET member_count = member_count - 1
     WHERE group_id IN (SELECT group_id FROM group_members WHERE user_id = OLD.user_id);`,
  ...leftBehind.map((table) => `DELETE FROM ${table} WHERE user_id = OLD.user_id;`),
].join(' ')

export const documentsOfOlderReleases: Migration = {
  name: '0055-documents-of-older-releases',
  needs: '0003-several-nodes',
  sqlite: [
    `CREATE TRIGGER users_added_by_older_release AFTER INSERT ON users WHEN ${isOlder('instr')} BEGIN
       ${complete}
     END`,
    `CREATE TRIGGER users_written_by_older_release AFTER UPDATE OF document ON users WHEN ${isOlder('instr')} BEGIN
       UPDATE users SET email_verified = CASE WHEN NEW.email IS OLD.email THEN email_verified ELSE 0 END,
         invited = CASE WHEN NEW.password_hash IS NULL THEN invited ELSE 0 END
       WHERE user_id = NEW.user_id;
       ${complete}
     END`,
    `CREATE TRIGGER users_deleted_by_older_release AFTER DELETE ON users BEGIN
       ${removeLeftBehind}
     END`,
  ],
  postgres: [
    `CREATE FUNCTION complete_older_document() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF TG_OP = 'UPDATE' THEN
         IF NEW.email IS DISTINCT FROM OLD.email THEN
           NEW.email_verified := 0;
         END IF;
       END IF;
       IF NEW.password_hash IS NOT NULL THEN
         NEW.invited := 0;
       END IF;
       NEW.document := left(NEW.document, -1) || ${members('NEW.', inPostgres)};
       RETURN NEW;
     END $$`,
    `CREATE TRIGGER users_written_by_older_release BEFORE INSERT OR UPDATE OF document ON users
     FOR EACH ROW WHEN (${isOlder('strpos')}) EXECUTE FUNCTION complete_older_document()`,
    // With the current search path, so that it works in an administrator's session too.
    `CREATE FUNCTION remove_left_behind() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
     BEGIN
       ${removeLeftBehind}
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER users_deleted_by_older_release AFTER DELETE ON users
     FOR EACH ROW EXECUTE FUNCTION remove_left_behind()`,
  ],
}
