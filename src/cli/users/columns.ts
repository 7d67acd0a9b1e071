import { rowMembers } from '../../directory/users/schema.ts'
import type { Columns } from '../terminal/output.ts'

export const userColumns: Columns = {
  all: rowMembers,
  // A cell is one value; `users export` has a column for each attribute.
  inCsv: rowMembers.filter((member) => member !== 'attributes'),
  shown: ['user_id', 'username', 'email', 'role', 'active', 'last_login_at'],
}
