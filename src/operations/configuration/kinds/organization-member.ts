/** The organization to which an object belongs: by its name in a file, by its id where it is stored. */
import type { Kind, Members } from '../kind.ts'

export const organizationMember = {
  organization: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 128,
    description: 'The name of the organization to which it belongs. Null: none.',
  },
} as const

/** For kinds whose members have no other names. */
export const inOrganization = {
  withNames: ({ organization, ...members }, { organizations }) => ({
    ...members,
    organization: organizations.get(String(organization)) ?? organization,
  }),
  withIds: (members, idOf) =>
    typeof members.organization === 'string' ? { ...members, organization: idOf(members.organization) } : members,
} satisfies Partial<Kind>

/** As the API has it. */
export function withOrganizationId({ organization, ...members }: Members): Members {
  return organization === undefined ? members : { ...members, organization_id: organization }
}
