import type { Columns } from '../terminal/output.ts'

/** The members of a user, in the order of the API. */
export const userMembers = [
  'user_id',
  'username',
  'email',
  'external_id',
  'first_name',
  'last_name',
  'role',
  'active',
  'has_password',
  'last_login_at',
  'created_at',
  'updated_at',
] as const

export const userColumns: Columns = {
  all: userMembers,
  shown: ['user_id', 'username', 'email', 'role', 'active', 'last_login_at'],
}
