import type { Migration } from './migration.ts'

/** A user who moves to another organization changes the places of two of them (0042-places-of-users.ts). */
export const placesOfOrganizations: Migration = {
  name: '0090-places-of-organizations',
  needs: '0003-several-nodes',
  sqlite: [],
  postgres: [
    `CREATE TRIGGER users_changed_organization AFTER UPDATE ON users FOR EACH ROW
     WHEN (OLD.organization_id IS DISTINCT FROM NEW.organization_id) EXECUTE FUNCTION count_user_move()`,
  ],
}
