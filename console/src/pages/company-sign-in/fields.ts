/** The settings of connections as fields of a form: each kind has its own (provider-fields.ts), and all share those about users. */
import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import type { UpdateSignInConnection } from 'rollbook/client'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import type { Provider } from '../../parts/connections/providers.ts'
import type { SignInGuide } from '../../parts/provider-guides/guide.ts'

export type Member = Exclude<keyof UpdateSignInConnection, undefined>

export type Field = {
  name: Member
  label: string
  description?: string
  /** Where the provider shows the value. */
  source?: string | MessageDescriptor
  placeholder?: string
  required?: boolean
  /** Shown only on request: it has a value that suits most. */
  rare?: boolean
} & (
  | { type: 'text' | 'secret' | 'lines' | 'area' | 'number'; isNullable?: boolean }
  | { type: 'check' }
  | { type: 'file'; accept: string }
  | { type: 'select'; choices: readonly { value: string; label: string }[] }
  /** A claim's values translated into roles or groups, or attributes filled from claims. */
  | { type: 'pairs'; of: 'roles' | 'groups' | 'attributes' }
  | { type: 'role' }
  | { type: 'organization'; isNullable: true }
)

/** Returns the fields without those that the provider cannot use, each with the place where it shows the value. */
export function fieldsFor(guide: SignInGuide | undefined, fields: readonly Field[]): readonly Field[] {
  if (guide === undefined) return fields
  const { pastes, hides = [] } = guide
  // A guide that names the address or the document of the metadata decides which comes first.
  const first = Object.keys(pastes)[0]
  return fields
    .filter(({ name }) => !hides.includes(name))
    .map((field) => {
      const source = pastes[field.name]
      const isSecond = field.name === 'metadata' && first === 'metadata_url' && guide.product !== undefined
      return {
        ...field,
        ...(source !== undefined && source !== field.label && { source }),
        ...(isSecond && { rare: true }),
      }
    })
}

/** The fields that decide who may sign in, and with which role, groups and attributes. */
export function usePeopleFields({ kind }: Pick<Provider, 'kind'>): readonly Field[] {
  return [...useOrganizationField(), ...useDomainFields(kind), ...useClaimFields(), ...useSecondFactorFields()]
}

/** Left out where organizations are not used. */
function useOrganizationField(): readonly Field[] {
  const { t } = useLingui()
  const isInUse = useOrganizationsInUse('connections:write')
  const field: Field = {
    type: 'organization',
    name: 'organization_id',
    label: t`Organization`,
    description: t`Its users are created there, and users from elsewhere are refused. Empty: users of all may sign in.`,
    isNullable: true,
  }
  return isInUse ? [field] : []
}

/** Whose addresses the provider may state, and what becomes of users with them. */
function useDomainFields(kind: Provider['kind']): readonly Field[] {
  const { t } = useLingui()
  const domains = (name: Member, label: string, description: string): Field => ({
    type: 'lines',
    name,
    label,
    description,
    placeholder: 'example.com',
  })
  const statesNothing = kind === 'saml' || kind === 'ldap'
  return [
    ...(statesNothing
      ? [
          {
            type: 'check' as const,
            name: 'emails_verified' as const,
            label: t`Addresses from there are verified`,
            description: t`Only if no user can choose their own address there. Without it no user is linked or created by address.`,
          },
        ]
      : []),
    domains(
      'provisioning_domains',
      t`Create users with these domains`,
      t`One per line. Users with such an address who are not known yet are created when they sign in.`,
    ),
    domains(
      'trusted_domains',
      t`Link existing users with these domains`,
      t`One per line. List a domain only if the provider controls its addresses.`,
    ),
    domains(
      'domains',
      t`Send users with these domains here`,
      t`One per line. The sign-in page then asks for the username or email address first.`,
    ),
  ]
}

/** What claims say about a user. */
function useClaimFields(): readonly Field[] {
  const { t } = useLingui()
  const times = [
    { value: 'creation', label: t`when the user is created` },
    { value: 'sign_in', label: t`at every sign-in` },
  ]
  return [
    { type: 'role', name: 'default_role', label: t`Role of new users` },
    {
      type: 'text',
      name: 'role_claim',
      label: t`Claim with roles`,
      isNullable: true,
      rare: true,
      placeholder: 'groups',
      description: t`The first value below that the claim contains decides.`,
    },
    { type: 'pairs', of: 'roles', name: 'roles', label: t`Roles by value`, rare: true },
    { type: 'select', name: 'role_sync', label: t`Set the role`, choices: times, rare: true },
    {
      type: 'text',
      name: 'group_claim',
      label: t`Claim with groups`,
      isNullable: true,
      placeholder: 'groups',
      rare: true,
    },
    { type: 'pairs', of: 'groups', name: 'groups', label: t`Groups by value`, rare: true },
    { type: 'select', name: 'group_sync', label: t`Set the groups`, choices: times, rare: true },
    {
      type: 'select',
      name: 'missing_claims',
      label: t`If the claim with roles, groups or the end date is missing`,
      rare: true,
      choices: [
        { value: 'keep', label: t`they stay as they are` },
        { value: 'none', label: t`the user has none` },
      ],
    },
    { type: 'pairs', of: 'attributes', name: 'attribute_claims', label: t`Attributes from claims`, rare: true },
    { type: 'select', name: 'attribute_sync', label: t`Set the attributes`, choices: times, rare: true },
    {
      type: 'text',
      name: 'expires_at_claim',
      label: t`Claim with the end date`,
      isNullable: true,
      placeholder: 'contract_end',
      rare: true,
      description: t`A date and time, a date, or seconds since 1970. From then on, the user is refused.`,
    },
    { type: 'select', name: 'expires_at_sync', label: t`Set the end date`, choices: times, rare: true },
  ]
}

function useSecondFactorFields(): readonly Field[] {
  const { t } = useLingui()
  return [
    {
      type: 'select',
      name: 'second_factor',
      label: t`Second factor`,
      rare: true,
      choices: [
        { value: 'own', label: t`is asked for here` },
        { value: 'provider', label: t`of the provider counts` },
      ],
    },
    {
      type: 'lines',
      name: 'acr_values',
      label: t`Values of acr that stand for a second factor`,
      rare: true,
      description: t`One per line.`,
    },
  ]
}
