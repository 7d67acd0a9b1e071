/** The subjects that group the operations: on the docs page, and as tags for client generators. */

/** The first match counts. */
export const subjects: readonly [name: string, paths: RegExp, description: string][] = [
  ['Sessions', /\/sessions/, 'Sign in and out, list and end sessions.'],
  ['Audit', /\/audit/, 'Who changed what, when and from where.'],
  ['Imports', /^\/(?:users\/import|imports)/, 'Import users from files, and follow the imports.'],
  ['Attributes', /^\/attributes\b/, 'Custom attributes of users.'],
  ['Organizations', /^\/organizations\b/, 'Organizations, to which users, groups, keys and connections belong.'],
  ['Groups', /^\/(?:groups\b|users\/[^/]+\/groups)/, 'Groups of users, and their members.'],
  [
    'Provisioning',
    /^\/provisioning/,
    'Connections of identity providers, which administer users and groups through SCIM 2.0 at `/scim/v2`.',
  ],
  [
    'Connections',
    /^\/(?:connections\b|(?:me|users\/[^/]+)\/identities)/,
    'Companies and other identity providers through which users sign in, and who is who there.',
  ],
  [
    'Factors',
    /^\/(?:(?:me|users\/[^/]+)\/(?:factors|recovery-codes)|second-factor-policy)/,
    'Second factors, recovery codes, and who needs a factor.',
  ],
  ['Keys', /^\/(?:(?:(?:me|users\/[^/]+)\/)?keys|cli-logins)/, 'API keys of programs, and personal keys of users.'],
  ['Users', /^\/(?:users|deleted-users)/, 'Create, list, change, delete and restore users.'],
  ['Access requests', /^\/access-requests/, 'People who ask for access, and the decisions about them.'],
  ['Me', /^\/me\b/, 'The signed-in user.'],
  [
    'Roles',
    /^\/(?:roles|policies|inactivity|access$)/,
    'Roles and their permissions, who has which, and policies for all users.',
  ],
  [
    'Tokens',
    /^\/(?:token|introspect|revoke|signing-keys|\.well-known)\b/,
    'Access tokens and the keys that sign them.',
  ],
  ['Changes', /^\/(?:events|revocations)/, 'Follow changes of users and the end of credentials.'],
  ['Webhooks', /^\/webhooks/, 'Webhook endpoints and their deliveries.'],
  ['Messages', /^\/(?:mails|password-resets)/, 'Messages to users and their state.'],
  ['Branding', /^\/branding/, 'The look of pages and messages.'],
  ['Setup', /^\/setup/, 'Create the first administrator.'],
  ['Reviews', /^\/reviews/, 'Access reviews: who should keep which access.'],
  ['Configuration', /^\/configuration/, 'The configuration as a file: plan, apply and export it.'],
  ['Operation', /^\/(?:health|metrics|deployment|statistics)/, 'Health, metrics and statistics.'],
]

/** @throws Error if the path belongs to no subject */
export function subjectOf(path: string): string {
  const subject = subjects.find(([, paths]) => paths.test(path))
  if (subject === undefined) throw new Error(`${path} belongs to no subject. Add it in subjects.ts.`)
  return subject[0]
}
