/** The fields for values from the provider: what each kind of connection needs to reach it and to trust it. */
import { useLingui } from '@lingui/react/macro'
import type { SignInConnection } from 'rollbook/client'
import type { Field, Member } from './fields.ts'

type Known = Pick<SignInConnection, 'kind' | 'preset'> & Partial<SignInConnection>

/** The fields for values from the provider. */
export function useProviderFields(connection: Known): readonly Field[] {
  const fields = {
    oidc: useOidcFields(connection),
    github: useGitHubFields(connection),
    saml: useSamlFields(),
    ldap: useLdapFields(connection),
  }
  return fields[connection.kind]
}

/** Returns a function that makes the field of a secret, which is never shown again. */
function useSecretField(): (label: string, name: Member, isStored: boolean | undefined) => Field {
  const { t } = useLingui()
  return (label, name, isStored) => ({
    type: 'secret',
    name,
    label,
    ...(isStored === true && { description: t`Stored. Leave it empty to keep it.` }),
  })
}

/** What OAuth 2.0 clients are registered with. */
function useClientFields(connection: Known): readonly Field[] {
  const { t } = useLingui()
  const secretField = useSecretField()
  return [
    { type: 'text', name: 'client_id', label: t`Client ID`, required: true },
    secretField(t`Client secret`, 'client_secret', connection.has_client_secret),
  ]
}

function useOidcFields(connection: Known): readonly Field[] {
  const { t } = useLingui()
  const client = useClientFields(connection)
  const { preset } = connection
  return [
    {
      type: 'text',
      name: 'issuer',
      label: t`Issuer`,
      required: true,
      placeholder: issuerExample(preset),
    },
    ...client,
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
}

function useGitHubFields(connection: Known): readonly Field[] {
  const { t } = useLingui()
  const client = useClientFields(connection)
  return [
    ...client,
    {
      type: 'text',
      name: 'github_url',
      label: t`Address of GitHub`,
      rare: true,
      placeholder: 'https://github.com',
      description: t`For GitHub Enterprise Server.`,
    },
  ]
}

function useSamlFields(): readonly Field[] {
  const { t } = useLingui()
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
}

function useLdapFields(connection: Known): readonly Field[] {
  return [...useLdapServerFields(connection), ...useLdapAttributeFields(), ...useLdapGroupFields()]
}

/** Where the directory is, and how a user is found in it. */
function useLdapServerFields(connection: Known): readonly Field[] {
  const { t } = useLingui()
  const secretField = useSecretField()
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
    secretField(t`Password of this account`, 'bind_password', connection.has_bind_password),
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
  ]
}

/** What is read about a user. */
function useLdapAttributeFields(): readonly Field[] {
  const { t } = useLingui()
  return [
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
  ]
}

/** Where groups come from, and when all users are read. */
function useLdapGroupFields(): readonly Field[] {
  const { t } = useLingui()
  return [
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
