import { organizationSchema } from '../../directory/organizations/schema.ts'
import type { Columns } from '../terminal/output.ts'

/** The members of an organization, in the order of the API. */
export const organizationColumns: Columns = {
  all: organizationSchema.required,
  shown: ['organization_id', 'name', 'active', 'user_count', 'group_count'],
}
