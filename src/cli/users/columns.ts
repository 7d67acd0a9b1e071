import { userSchema } from '../../directory/users/schema.ts'
import type { Columns } from '../terminal/output.ts'

/** The members of every user, in the order of the API, and the kind, which an import needs. */
export const userMembers = [...userSchema.required, 'kind']

export const userColumns: Columns = {
  all: userMembers,
  // A cell is one value; `users export` has a column for each attribute.
  inCsv: userMembers.filter((member) => member !== 'attributes'),
  shown: ['user_id', 'username', 'email', 'role', 'active', 'last_login_at'],
}
