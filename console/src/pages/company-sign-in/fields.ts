/** The settings of connections as fields of a form. Each kind has its own, and all share those about users. */
import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import type { SignInConnection, UpdateSignInConnection } from 'rollbook/client'
import type { SignInGuide } from '../../parts/provider-guides/guide.ts'
import type { Provider } from './providers.ts'

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
)

type Known = Pick<SignInConnection, 'kind' | 'preset'> & Partial<SignInConnection>

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

/** The fields for values from the provider. */
export function useProviderFields(connection: Known): readonly Field[] {
  const { t } = useLingui()
  const { kind, preset } = connection
  const secretHint = (has: boolean | undefined) => (has === true ? t`Stored. Leave it empty to keep it.` : '')
  const secret = (label: string, name: Member, has: boolean | undefined): Field => ({
    type: 'secret',
    name,
    label,
    ...(has === true && { description: secretHint(has) }),
  })
  const clientId: Field = { type: 'text', name: 'client_id', label: t`Client ID`, required: true }
  const clientSecret = secret(t`Client secret`, 'client_secret', connection.has_client_secret)
  switch (kind) {
    case 'oidc':
      return [
        {
          type: 'text',
          name: 'issuer',
          label: t`Issuer`,
          required: true,
          placeholder: issuerExample(preset),
        },
        clientId,
        clientSecret,
        {
          type: 'lines',
          name: 'scopes',
          label: t`Scopes`,
          rare: true,
          description: t`One per line. The scopes to request from the provider.`,
        },
        {
          type: 'select',
          name: 'read_userinfo',
          rare: true,
          label: t`Read the UserInfo endpoint`,
          description: t`For providers that keep claims out of the ID token.`,
          choices: [
            { value: 'auto', label: t`If the ID token lacks a claim` },
            { value: 'always', label: t`At every sign-in` },
            { value: 'never', label: t`Never` },
          ],
        },
        {
          type: 'select',
          name: 'token_endpoint_auth_method',
          rare: true,
          label: t`How the client secret is sent`,
          choices: [
            { value: 'auto', label: t`As the provider accepts it` },
            { value: 'client_secret_basic', label: t`By HTTP Basic` },
            { value: 'client_secret_post', label: t`In the form` },
          ],
        },
        {
          type: 'check',
          name: 'sign_out_there',
          rare: true,
          label: t`Sign out at the provider as well`,
          description: t`Register the address after signing out with the provider.`,
        },
      ]
    case 'github':
      return [
        clientId,
        clientSecret,
        {
          type: 'text',
          name: 'github_url',
          label: t`Address of GitHub`,
          rare: true,
          placeholder: 'https://github.com',
          description: t`For GitHub Enterprise Server.`,
        },
      ]
    case 'saml':
      return [
        {
          type: 'text',
          name: 'metadata_url',
          label: t`Metadata address`,
          placeholder: 'https://id.example.com/metadata',
          description: t`Read once, now.`,
        },
        {
          type: 'file',
          name: 'metadata',
          label: t`Metadata`,
          accept: '.xml,text/xml,application/xml',
          description: t`The XML document of the provider.`,
        },
        { type: 'text', name: 'entity_id', label: t`Entity ID of the provider`, rare: true },
        {
          type: 'text',
          name: 'sso_url',
          label: t`Sign-in address of the provider`,
          rare: true,
          description: t`With the binding HTTP-Redirect.`,
        },
        {
          type: 'area',
          name: 'certificates',
          label: t`Certificates of the provider`,
          rare: true,
          description: t`PEM. List the next one after the current one before the provider switches.`,
        },
        { type: 'check', name: 'sign_requests', label: t`Sign the requests to the provider`, rare: true },
        {
          type: 'check',
          name: 'offer_encryption_key',
          rare: true,
          label: t`Offer a key to encrypt assertions with`,
          description: t`Switch it off for providers that cannot use AES-GCM, such as AD FS and SimpleSAMLphp.`,
        },
        {
          type: 'check',
          name: 'allow_unsolicited',
          rare: true,
          label: t`Accept sign-ins that start at the provider`,
          description: t`An attacker can then sign a user in to an account of the attacker. Leave it off unless a portal needs it.`,
        },
        ...(['subject_claim', 'email_claim', 'first_name_claim', 'last_name_claim'] as const).map(
          (name): Field => ({
            type: 'text',
            name,
            isNullable: true,
            rare: true,
            label: {
              subject_claim: t`Attribute with the ID of the account`,
              email_claim: t`Attribute with the email address`,
              first_name_claim: t`Attribute with the first name`,
              last_name_claim: t`Attribute with the last name`,
            }[name],
            description: name === 'subject_claim' ? t`Empty: the NameID.` : t`Empty: the usual names.`,
          }),
        ),
      ]
    case 'ldap':
      return [
        {
          type: 'lines',
          name: 'servers',
          label: t`Servers`,
          required: true,
          placeholder: 'ldaps://dc1.corp.example.com',
          description: t`One per line, in the order of use.`,
        },
        {
          type: 'check',
          name: 'start_tls',
          label: t`Use StartTLS`,
          description: t`For servers with ldap://. Without TLS, a password is never sent.`,
        },
        {
          type: 'text',
          name: 'user_base',
          label: t`Where users are searched (base DN)`,
          required: true,
          placeholder: 'ou=people,dc=example,dc=com',
        },
        {
          type: 'text',
          name: 'bind_dn',
          label: t`Account that searches (bind DN)`,
          isNullable: true,
          placeholder: 'cn=rollbook,ou=services,dc=example,dc=com',
          description: t`It only needs to read.`,
        },
        secret(t`Password of this account`, 'bind_password', connection.has_bind_password),
        {
          type: 'area',
          name: 'ca_certificate',
          label: t`Certificates of the authority`,
          isNullable: true,
          description: t`PEM, for a directory with its own certificate authority.`,
          rare: true,
        },
        {
          type: 'text',
          name: 'user_bind_name',
          label: t`Name with which users bind`,
          isNullable: true,
          placeholder: '{username}@corp.example.com',
          rare: true,
          description: t`Only without an account that searches.`,
        },
        {
          type: 'area',
          name: 'user_filter',
          label: t`Filter that finds a user`,
          rare: true,
          description: t`In place of ${'{username}'} is what the user enters.`,
        },
        { type: 'text', name: 'subject_attribute', label: t`Attribute with the ID of the account`, rare: true },
        { type: 'text', name: 'email_attribute', label: t`Attribute with the email address`, rare: true },
        { type: 'text', name: 'first_name_attribute', label: t`Attribute with the first name`, rare: true },
        { type: 'text', name: 'last_name_attribute', label: t`Attribute with the last name`, rare: true },
        { type: 'text', name: 'username_attribute', label: t`Attribute with the username`, rare: true },
        {
          type: 'lines',
          name: 'read_attributes',
          label: t`Further attributes to read`,
          rare: true,
          description: t`One per line. A mapping can use them.`,
        },
        {
          type: 'select',
          name: 'group_source',
          label: t`Where the groups of a user come from`,
          rare: true,
          choices: [
            { value: 'token_groups', label: t`Active Directory: tokenGroups, with nested groups` },
            { value: 'member_of', label: t`The attribute memberOf of the user` },
            { value: 'member', label: t`A search for groups with the user` },
            { value: 'none', label: t`No groups` },
          ],
        },
        {
          type: 'text',
          name: 'group_base',
          label: t`Where groups are searched`,
          isNullable: true,
          rare: true,
          description: t`Empty: where users are searched.`,
        },
        { type: 'area', name: 'group_filter', label: t`Filter that a group must match`, rare: true },
        { type: 'text', name: 'group_member_attribute', label: t`Attribute of a group with its members`, rare: true },
        {
          type: 'number',
          name: 'sync_hours',
          label: t`Hours between synchronizations`,
          description: t`Empty: only when asked.`,
          isNullable: true,
          rare: true,
        },
      ]
  }
}

/** The fields that decide who may sign in, and with which role, groups and attributes. */
export function usePeopleFields({ kind }: Pick<Provider, 'kind'>): readonly Field[] {
  const { t } = useLingui()
  const domains = (name: Member, label: string, description: string): Field => ({
    type: 'lines',
    name,
    label,
    description,
    placeholder: 'example.com',
  })
  const times = [
    { value: 'creation', label: t`when the user is created` },
    { value: 'sign_in', label: t`at every sign-in` },
  ]
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
      label: t`If the claim with roles or groups is missing`,
      rare: true,
      choices: [
        { value: 'keep', label: t`role and groups stay as they are` },
        { value: 'none', label: t`the user has none` },
      ],
    },
    { type: 'pairs', of: 'attributes', name: 'attribute_claims', label: t`Attributes from claims`, rare: true },
    { type: 'select', name: 'attribute_sync', label: t`Set the attributes`, choices: times, rare: true },
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

function issuerExample(preset: string): string {
  const examples: Record<string, string> = {
    google: 'https://accounts.google.com',
    gitlab: 'https://gitlab.com',
    entra: 'https://login.microsoftonline.com/…/v2.0',
    okta: 'https://example.okta.com',
    keycloak: 'https://id.example.com/realms/example',
    auth0: 'https://example.eu.auth0.com/',
  }
  return examples[preset] ?? 'https://id.example.com'
}
