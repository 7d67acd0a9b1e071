import { groupSchema } from '../../administration/groups/schema.ts'
import type { Columns } from '../terminal/output.ts'

/** The members of a group, in the order of the API. */
export const groupColumns: Columns = {
  all: groupSchema.required,
  shown: ['group_id', 'name', 'role', 'member_count', 'description'],
}
