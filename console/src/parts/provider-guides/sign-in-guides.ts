/** The steps of each provider for sign-in. Facts about consoles age: each was compared with the provider's documentation. */
import { msg } from '@lingui/core/macro'
import type { Row, SignInGuide } from './guide.ts'

const productName = { words: msg`the name of your product` }
const empty = { words: msg`leave empty` }
const ifSignOut = msg`only if users sign out there as well`

/** Fields about a sign-out at the provider, and about second factors that it reports. */
const noSignOut = ['sign_out_there']
const noSecondFactor = ['second_factor', 'acr_values']

const samlOfXml = {
  metadata_url: msg`the address of the metadata`,
  metadata: msg`the document itself, if this service cannot reach the address`,
}

const entra: SignInGuide = {
  product: 'Entra ID',
  console: 'https://entra.microsoft.com',
  page: 'sign-in-entra',
  steps: [
    {
      says: msg`Open **App registrations → New registration**.`,
      rows: [
        { field: 'Name', ...productName },
        { field: 'Supported account types', option: 'Single tenant: accounts in this organizational directory only' },
        { field: 'Redirect URI: Web', copies: 'redirect_uri' },
      ],
    },
    {
      says: msg`Open **Certificates & secrets → New client secret**. Copy the **Value**, not the **Secret ID**; it is shown only once.`,
    },
    {
      says: msg`Open **Token configuration → Add optional claim → ID**, and choose \`email\`, \`given_name\`, \`family_name\`, \`auth_time\`, \`acrs\` and \`xms_edov\`. Without \`xms_edov\`, no user is linked or created by address. If it is not offered, add it to \`optionalClaims.idToken\` in **Manifest**.`,
    },
    {
      says: msg`To sign users out of Entra ID as well, add this address under **Authentication → Redirect URIs: Web**.`,
      rows: [{ field: 'Redirect URIs: Web', copies: 'post_logout_redirect_uri', note: ifSignOut }],
    },
  ],
  pastes: {
    issuer: msg`**Overview → Directory (tenant) ID**: paste the id, and it is completed.`,
    client_id: 'Overview → Application (client) ID',
    client_secret: 'Certificates & secrets → Value',
  },
}

const entraSaml: SignInGuide = {
  product: 'Entra ID',
  console: 'https://entra.microsoft.com',
  page: 'sign-in-entra',
  anchor: 'with-saml',
  steps: [
    {
      says: msg`Open **Enterprise applications → New application → Create your own application**, choose **Integrate any other application you don't find in the gallery (Non-gallery)**, and then **Single sign-on → SAML**.`,
    },
    {
      says: msg`Edit **Basic SAML Configuration**.`,
      rows: [
        { field: 'Identifier (Entity ID)', copies: 'sp_entity_id' },
        { field: 'Reply URL (Assertion Consumer Service URL)', copies: 'acs_url' },
        { field: 'Sign on URL, Relay State', ...empty },
      ],
    },
    {
      says: msg`Edit **Attributes & Claims**.`,
      rows: [
        { field: 'Unique User Identifier (Name ID)', option: 'Persistent, user.objectid' },
        { field: 'emailaddress, givenname, surname', words: msg`leave unchanged` },
      ],
    },
    { says: msg`Copy **SAML Certificates → App Federation Metadata Url**.` },
    { says: msg`Under **Users and groups**, assign who may sign in.` },
  ],
  pastes: { ...samlOfXml, metadata_url: 'SAML Certificates → App Federation Metadata Url' },
}

const google: SignInGuide = {
  product: 'Google',
  console: 'https://console.cloud.google.com/auth/clients',
  page: 'sign-in-google',
  steps: [
    {
      says: msg`Open **Google Auth Platform → Clients → Create client**.`,
      rows: [
        { field: 'Application type', option: 'Web application' },
        { field: 'Name', ...productName },
        { field: 'Authorized JavaScript origins', ...empty },
        { field: 'Authorized redirect URIs', copies: 'redirect_uri' },
      ],
    },
    {
      says: msg`Press **Create**, and copy **Client ID** and **Client secret** at once: Google shows the secret only now.`,
    },
    { says: msg`Under **Audience**, choose **Internal**, so that only accounts of your Workspace can sign in.` },
  ],
  pastes: { client_id: 'Client ID', client_secret: 'Client secret' },
  hides: ['issuer', ...noSignOut, ...noSecondFactor],
}

const googleSaml: SignInGuide = {
  product: 'Google',
  console: 'https://admin.google.com/ac/apps/unified',
  page: 'sign-in-google',
  anchor: 'with-saml',
  steps: [
    {
      says: msg`Open **Apps → Web and mobile apps → Add app → Add custom SAML app**, enter a name, and press **Download metadata** (**Option 1**).`,
    },
    {
      says: msg`Continue to **Service provider details**.`,
      rows: [
        { field: 'ACS URL', copies: 'acs_url' },
        { field: 'Entity ID', copies: 'sp_entity_id' },
        { field: 'Start URL', ...empty },
        { field: 'Signed response', words: msg`on` },
        { field: 'Name ID format', words: msg`PERSISTENT with an employee id; or EMAIL with the primary email` },
      ],
    },
    {
      says: msg`Continue to **Attribute mapping**, and press **Add mapping** for each.`,
      rows: [
        { field: 'Primary email', option: 'email' },
        { field: 'First name', option: 'firstName' },
        { field: 'Last name', option: 'lastName' },
      ],
    },
    { says: msg`Open **User access**, and turn the app on for the users who may sign in.` },
  ],
  pastes: { metadata: msg`the file of **Download metadata**` },
  hides: ['metadata_url', 'sign_requests'],
}

const okta: SignInGuide = {
  product: 'Okta',
  console: 'https://login.okta.com',
  page: 'sign-in-okta',
  steps: [
    {
      says: msg`In the Admin Console, open **Applications → Applications → Create App Integration**, and choose **OIDC - OpenID Connect** and **Web Application**.`,
      rows: [
        { field: 'App integration name', ...productName },
        { field: 'Grant type', option: 'Authorization Code' },
        { field: 'Sign-in redirect URIs', copies: 'redirect_uri' },
        { field: 'Sign-out redirect URIs', copies: 'post_logout_redirect_uri', note: ifSignOut },
        { field: 'Assignments: Controlled access', words: msg`the groups that may sign in` },
      ],
    },
    {
      says: msg`Press **Save**. On the tab **General**, copy **Client ID** and **Client secret**, and switch on **Require PKCE as additional verification**.`,
    },
    {
      says: msg`So that Okta can end sessions here (Universal Logout, part of Identity Threat Protection): edit **Logout** on the tab **Authentication** (before: **Sign On**), and choose **Okta system or admin initiates logout**.`,
      rows: [
        {
          field: 'Logout endpoint URL',
          copies: 'global_token_revocation_uri',
          note: msg`only with Universal Logout`,
        },
        { field: 'Subject format', option: 'Issuer and Subject Identifier' },
      ],
    },
  ],
  pastes: {
    issuer: msg`the address of your Okta without -admin, such as https://example.okta.com; with a custom authorization server it ends with /oauth2/default`,
    client_id: 'General → Client ID',
    client_secret: 'General → Client secrets',
  },
}

const oktaSaml: SignInGuide = {
  product: 'Okta',
  console: 'https://login.okta.com',
  page: 'sign-in-okta',
  anchor: 'with-saml',
  steps: [
    {
      says: msg`In the Admin Console, open **Applications → Applications → Create App Integration**, choose **SAML 2.0**, and enter a name.`,
    },
    {
      says: msg`On the page **Configure SAML**, enter these values.`,
      rows: [
        { field: 'Single sign-on URL', copies: 'acs_url' },
        { field: 'Use this for Recipient URL and Destination URL', words: msg`on` },
        { field: 'Audience URI (SP Entity ID)', copies: 'sp_entity_id' },
        { field: 'Default RelayState', ...empty },
        { field: 'Name ID format', option: 'Persistent' },
        { field: 'Application username', words: msg`Okta username, or an id that never changes` },
        { field: 'Signature Algorithm, Digest Algorithm', option: 'RSA-SHA256, SHA256' },
        {
          field: 'Attribute Statements',
          option: 'email = user.email, firstName = user.firstName, lastName = user.lastName',
        },
      ],
    },
    {
      says: msg`Press **Finish**. Copy the **Metadata URL** of the tab **Sign On** (newer: **Authentication**), and under **Assignments** assign who may sign in.`,
    },
  ],
  pastes: { ...samlOfXml, metadata_url: 'Sign On → Metadata URL (newer: Authentication)' },
}

const keycloak: SignInGuide = {
  product: 'Keycloak',
  page: 'sign-in-keycloak',
  steps: [
    {
      says: msg`In the admin console of the realm, open **Clients → Create client**.`,
      rows: [
        { field: 'Client type', option: 'OpenID Connect' },
        { field: 'Client ID', words: msg`an id of your choice, such as rollbook` },
        { field: 'Client authentication', option: 'On' },
        { field: 'Authentication flow', option: 'Standard flow' },
        { field: 'PKCE Method', option: 'S256' },
        { field: 'Valid redirect URIs', copies: 'redirect_uri' },
        { field: 'Valid post logout redirect URIs', copies: 'post_logout_redirect_uri', note: ifSignOut },
        { field: 'Web origins', ...empty },
      ],
    },
    {
      says: msg`Press **Save**. Under **Settings → Logout settings**, let Keycloak report when it signs a user out.`,
      rows: [
        { field: 'Front channel logout', option: 'Off' },
        { field: 'Backchannel logout URL', copies: 'backchannel_logout_uri' },
        { field: 'Backchannel logout session required', option: 'On' },
      ],
    },
    {
      says: msg`Copy **Credentials → Client Secret**. Keycloak states that an address is verified only for users with **Email verified**.`,
    },
  ],
  pastes: {
    issuer: msg`the address of the realm, such as https://sso.example.com/realms/company`,
    client_id: 'Settings → Client ID',
    client_secret: 'Credentials → Client Secret',
  },
}

const keycloakSaml: SignInGuide = {
  product: 'Keycloak',
  page: 'sign-in-keycloak',
  anchor: 'with-saml',
  steps: [
    {
      says: msg`In the admin console of the realm, open **Clients → Create client**.`,
      rows: [
        { field: 'Client type', option: 'SAML' },
        { field: 'Client ID', copies: 'sp_entity_id' },
        { field: 'Valid redirect URIs', copies: 'acs_url' },
      ],
    },
    {
      says: msg`Press **Save**. On the tabs **Settings** and **Keys**, set the following.`,
      rows: [
        { field: 'Name ID format', option: 'persistent' },
        { field: 'Force name ID format', option: 'On' },
        { field: 'Sign assertions', option: 'On' },
        { field: 'Signature algorithm', option: 'RSA_SHA256' },
        { field: 'Canonicalization method', option: 'EXCLUSIVE' },
        { field: 'Client signature required', words: msg`Off, unless requests are signed (**More settings**)` },
      ],
    },
    {
      says: msg`Under **Client scopes**, open the dedicated scope of the client, and choose **Add mapper → From predefined mappers**: **X500 email**, **X500 givenName** and **X500 surname**.`,
    },
  ],
  pastes: {
    ...samlOfXml,
    metadata_url: msg`the address of the realm with /protocol/saml/descriptor, such as https://sso.example.com/realms/company/protocol/saml/descriptor`,
  },
}

const auth0: SignInGuide = {
  product: 'Auth0',
  console: 'https://manage.auth0.com',
  page: 'sign-in-auth0',
  steps: [
    {
      says: msg`Open **Applications → Applications → Create Application**, and choose **Regular Web Applications**.`,
    },
    {
      says: msg`On the tab **Settings**, enter these addresses, and press **Save Changes**.`,
      rows: [
        { field: 'Allowed Callback URLs', copies: 'redirect_uri' },
        { field: 'Allowed Logout URLs', copies: 'post_logout_redirect_uri', note: ifSignOut },
        {
          field: 'Back-Channel Logout URI',
          copies: 'backchannel_logout_uri',
          note: msg`only with the Enterprise plan`,
        },
      ],
    },
    { says: msg`From the top of that tab, copy **Domain**, **Client ID** and **Client Secret**.` },
  ],
  pastes: {
    issuer: msg`**Domain**: paste it, and it is completed. The issuer begins with https:// and ends with a slash.`,
    client_id: 'Client ID',
    client_secret: 'Client Secret',
  },
}

const gitlab: SignInGuide = {
  product: 'GitLab',
  console: 'https://gitlab.com/-/user_settings/applications',
  page: 'sign-in-gitlab',
  steps: [
    {
      says: msg`Open **Settings → Applications → Add new application** of your group; for the whole of your own GitLab, **Admin → Applications**.`,
      rows: [
        { field: 'Name', ...productName },
        { field: 'Redirect URI', copies: 'redirect_uri' },
        { field: 'Confidential', words: msg`on` },
        { field: 'Scopes', option: 'openid, profile, email' },
      ],
    },
    {
      says: msg`Press **Save application**, and copy **Application ID** and **Secret** at once: GitLab shows the secret only now.`,
    },
  ],
  pastes: {
    issuer: msg`https://gitlab.com, or the address of your own GitLab`,
    client_id: 'Application ID',
    client_secret: 'Secret',
  },
  hides: [...noSignOut, ...noSecondFactor],
}

const github: SignInGuide = {
  product: 'GitHub',
  console: 'https://github.com/settings/developers',
  page: 'sign-in-github',
  steps: [
    {
      says: msg`Open **Settings → Developer settings → OAuth apps → New OAuth app** of your organization.`,
      rows: [
        { field: 'Application name', ...productName },
        { field: 'Homepage URL', words: msg`the address of your product` },
        { field: 'Authorization callback URL', copies: 'redirect_uri' },
      ],
    },
    {
      says: msg`Press **Register application**, then **Generate a new client secret**, and copy both values at once: GitHub shows the secret only now.`,
    },
  ],
  pastes: { client_id: 'Client ID', client_secret: 'Client secrets' },
  hides: noSecondFactor,
}

const adfs: SignInGuide = {
  product: 'AD FS',
  page: 'sign-in-adfs',
  steps: [
    {
      says: msg`In AD FS Management, open **Relying Party Trusts → Add Relying Party Trust → Claims aware → Import data about the relying party published online**. If AD FS cannot reach this service, choose **Enter data about the relying party manually**.`,
      rows: [
        { field: 'Federation metadata address', copies: 'sp_entity_id' },
        { field: 'Relying party SAML 2.0 SSO service URL', copies: 'acs_url', note: msg`only without the metadata` },
        { field: 'Relying party trust identifier', copies: 'sp_entity_id', note: msg`only without the metadata` },
        { field: 'Token encryption certificate', words: msg`none` },
      ],
    },
    { says: msg`Choose an access control policy, such as **Permit specific group**.` },
    {
      says: msg`Under **Edit Claim Issuance Policy**, add a rule **Send LDAP Attributes as Claims** from Active Directory.`,
      rows: [
        { field: 'E-Mail-Addresses', option: 'E-Mail Address' },
        { field: 'Given-Name', option: 'Given Name' },
        { field: 'Surname', option: 'Surname' },
      ],
    },
    {
      says: msg`Add a rule **Pass Through or Filter an Incoming Claim** with **Primary SID**. It identifies the account, and stays the same when a user is renamed.`,
    },
  ],
  pastes: {
    ...samlOfXml,
    metadata_url: msg`https:// and the name of your AD FS, then /FederationMetadata/2007-06/FederationMetadata.xml`,
  },
  creates: { subject_claim: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/primarysid' },
}

/** Every address that the protocol has; the provider decides which it can use. */
const oidcAddresses: readonly Row[] = [
  { field: 'Redirect URI (callback URL, sign-in redirect URI)', copies: 'redirect_uri' },
  { field: 'Post-logout redirect URI', copies: 'post_logout_redirect_uri', note: ifSignOut },
  {
    field: 'Back-channel logout URI',
    copies: 'backchannel_logout_uri',
    note: msg`only if the provider signs users out here`,
  },
  {
    field: 'Global token revocation endpoint',
    copies: 'global_token_revocation_uri',
    note: msg`only if the provider ends all sessions of an account here`,
  },
]

const anyOidc: SignInGuide = {
  page: 'sign-in-company',
  steps: [
    {
      says: msg`Register a web application in the provider's administration: a confidential client with the authorization code flow.`,
      rows: oidcAddresses,
    },
    { says: msg`Copy the issuer, the client id and the client secret.` },
  ],
  pastes: {},
}

const anySaml: SignInGuide = {
  page: 'sign-in-saml',
  steps: [
    {
      says: msg`Register a service provider in the provider's administration, by the address of our metadata or by single values.`,
      rows: [
        { field: 'Metadata, Entity ID (Identifier, Audience URI)', copies: 'sp_entity_id' },
        { field: 'ACS URL (Reply URL, Single sign-on URL, Recipient)', copies: 'acs_url' },
        { field: 'Name ID', words: msg`persistent: an id that never goes to another person` },
        { field: 'Signature', words: msg`the response or the assertion, with SHA-256` },
        { field: 'Relay state, Start URL', ...empty },
      ],
    },
    { says: msg`Copy the address of the provider's metadata, or download the document.` },
  ],
  pastes: {},
}

export const signInGuides = {
  'oidc entra': entra,
  'oidc google': google,
  'oidc okta': okta,
  'oidc keycloak': keycloak,
  'oidc auth0': auth0,
  'oidc gitlab': gitlab,
  'oidc generic': anyOidc,
  'github generic': github,
  'saml entra': entraSaml,
  'saml google': googleSaml,
  'saml okta': oktaSaml,
  'saml keycloak': keycloakSaml,
  'saml adfs': adfs,
  'saml generic': anySaml,
} as const satisfies Record<string, SignInGuide>

/** A directory has none: it needs no address of ours. */
export function signInGuideOf({ kind, preset }: { kind: string; preset: string }): SignInGuide | undefined {
  return (signInGuides as Record<string, SignInGuide>)[`${kind} ${preset}`]
}
