/** One figure of all users, by its kind; `name` is that of a role. */
export type Total = {
  kind: 'role' | 'inactive' | 'expired' | 'without_password' | 'service_accounts' | 'signed_in' | 'groups' | 'in_groups'
  name: string
  count: number
}
