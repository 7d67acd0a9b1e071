/** The steps of each identity provider for provisioning. */
import { msg } from '@lingui/core/macro'
import type { Guide } from './guide.ts'

const entra: Guide = {
  product: 'Entra ID',
  console: 'https://entra.microsoft.com',
  page: 'provisioning-entra',
  steps: [
    {
      says: msg`Open **Enterprise applications → New application → Create your own application**, and choose **Integrate any other application you don't find in the gallery (Non-gallery)**.`,
    },
    {
      says: msg`Open **Provisioning → New configuration**, press **Test connection**, and then **Create**.`,
      rows: [
        { field: 'Tenant URL', copies: 'scim_url' },
        { field: 'Secret token', copies: 'key' },
      ],
    },
    { says: msg`Under **Users and groups**, assign who may use your product.` },
    {
      says: msg`Under **Attribute mapping**, match users by \`userPrincipalName\`, and map \`objectId\` to \`externalId\`.`,
    },
    {
      says: msg`Try one user with **Provision on demand**, then press **Start provisioning**. It runs every 40 minutes.`,
    },
  ],
}

const okta: Guide = {
  product: 'Okta',
  console: 'https://login.okta.com',
  page: 'provisioning-okta',
  steps: [
    {
      says: msg`In the Admin Console, open **Applications → Applications → Create App Integration**, and choose **SAML 2.0** or **SWA**: Okta offers no SCIM for OpenID Connect. Then edit **General → App Settings**, and choose **Provisioning: SCIM**.`,
    },
    {
      says: msg`Edit **Provisioning → Integration**, and press **Test Connector Configuration**.`,
      rows: [
        { field: 'SCIM connector base URL', copies: 'scim_url' },
        { field: 'Unique identifier field for users', option: 'userName' },
        {
          field: 'Supported provisioning actions',
          option: 'Import New Users and Profile Updates, Push New Users, Push Profile Updates, Push Groups',
        },
        { field: 'Authentication Mode', option: 'HTTP Header' },
        { field: 'Authorization', copies: 'key' },
      ],
    },
    {
      says: msg`Edit **Provisioning → To App**: enable **Create Users**, **Update User Attributes** and **Deactivate Users**. Leave **Sync Password** off.`,
    },
    {
      says: msg`Under **Assignments**, assign people or groups. Under **Push Groups**, choose the groups to send, other ones than for assigning.`,
    },
  ],
}

const google: Guide = {
  product: 'Google',
  console: 'https://admin.google.com/ac/apps/unified',
  page: 'provisioning-google',
  steps: [
    {
      says: msg`Open **Apps → Web and mobile apps → Add app → Search for apps**. Choose an app that has autoprovisioning and asks for an endpoint URL, as those of Amazon Web Services and Keeper do.`,
    },
    {
      says: msg`Open the app, and **Autoprovisioning → Configure autoprovisioning**.`,
      rows: [
        { field: 'Access token', copies: 'key' },
        { field: 'Endpoint URL', copies: 'scim_url' },
        {
          field: 'Provisioning scope',
          words: msg`the groups whose members are sent; empty: all for whom the app is on`,
        },
        { field: 'Deprovisioning', option: 'Within 24 hours' },
      ],
    },
    { says: msg`Turn **Autoprovisioning** on. Google synchronizes every few hours, and sends no groups.` },
  ],
}

const jumpcloud: Guide = {
  product: 'JumpCloud',
  console: 'https://console.jumpcloud.com',
  page: 'provisioning',
  steps: [
    {
      says: msg`Open **SSO Applications**, and choose your application, or **Add New Application → Custom Application**.`,
    },
    {
      says: msg`On the tab **Identity Management**, press **Configure**, then **Test Connection** and **Activate**.`,
      rows: [
        { field: 'API Type', option: 'SCIM API' },
        { field: 'SCIM Version', option: 'SCIM 2.0' },
        { field: 'Base URL', copies: 'scim_url' },
        { field: 'Token Key', copies: 'key' },
      ],
    },
    { says: msg`On the tab **User Groups**, choose the groups to send.` },
  ],
}

const keycloak: Guide = {
  product: 'Keycloak',
  page: 'provisioning-keycloak',
  steps: [
    { says: msg`Put the jar of the extension into \`/opt/keycloak/providers/\`, and restart Keycloak.` },
    {
      says: msg`In the admin console of the realm, open **Realm settings → Events → Event listeners**, and add \`scim\`.`,
    },
    {
      says: msg`Open **User federation → Add provider → scim**.`,
      rows: [
        { field: 'SCIM 2.0 endpoint', copies: 'scim_url' },
        { field: 'Endpoint content type', option: 'application/scim+json' },
        { field: 'Auth mode', option: 'BEARER' },
        { field: 'Bearer token', copies: 'key' },
        { field: 'Enable import during sync', words: msg`off` },
        {
          field: 'Import action',
          words: msg`\`NOTHING\`. \`DELETE_REMOTE\` would delete every user here whom Keycloak does not know.`,
        },
        {
          field: 'Enable refresh during sync',
          words: msg`on, so that a synchronization repairs what an event has missed`,
        },
      ],
    },
    { says: msg`Press **Sync all users** to send the users who exist.` },
  ],
}

const any: Guide = {
  page: 'provisioning',
  steps: [
    {
      says: msg`Open the settings for provisioning with SCIM 2.0 in the identity provider.`,
      rows: [
        { field: 'Base URL (tenant URL, SCIM endpoint)', copies: 'scim_url' },
        { field: 'Bearer token (secret token, API token)', copies: 'key' },
      ],
    },
    { says: msg`Test the connection there, and choose the users and groups to send.` },
  ],
}

/** By profile; Keycloak has the profile `strict`. */
export const provisioningGuides = { entra, okta, google, jumpcloud, keycloak, strict: any } as const

export function provisioningGuideOf(profile: Exclude<keyof typeof provisioningGuides, 'keycloak'>): Guide {
  return provisioningGuides[profile]
}
