/** The account page and the pages behind it, with every part that they can have: for the tests, and to look at. */
import type { Account } from '../src/access/pages/account/account.ts'
import * as steps from '../src/access/pages/account/steps.ts'
import { accountPage } from '../src/access/pages/account/view.ts'
import type { Frame, Page } from '../src/access/pages/login-pages/views/pages.ts'
import type { AuditRecord } from '../src/record/audit/schema.ts'

const instant = '2026-11-20T14:05:00.000Z'
const now = Date.parse('2026-11-24T08:00:00Z')

const definition = { options: null, required: false, pattern: null, minimum: null, maximum: null, max_length: null }
const own = { ...definition, editable_by: 'user' }
const device = { user_agent: '', device: 'Firefox on Linux', address: '192.0.2.7' }
const factor = {
  factor_id: 'f1',
  kind: 'totp',
  name: 'My phone',
  created_at: instant,
  last_used_at: null,
  passkey: null,
}
const identity = {
  identity_id: 'i1',
  connection_id: 'c1',
  connection_name: 'Analytical Ltd',
  subject: 'ada',
  email: 'ada@example.com',
}
const key = {
  key_id: 'k1',
  prefix: 'rb_',
  name: 'laptop',
  permissions: ['*'],
  created_at: instant,
  expires_at: instant,
}

const account = {
  etag: '"3"',
  me: {
    user_id: 'u1',
    username: 'ada',
    email: 'ada@example.com',
    email_verified: false,
    pending_email: 'ada@example.com',
    first_name: 'Ada',
    last_name: 'Lovelace',
    locale: null,
    permissions: ['*', 'reports:read'],
    permission_sources: [
      { permission: '*', sources: [{ role: 'role', group: null }] },
      { permission: 'reports:read', sources: [{ role: 'reader', group: { group_id: 'g1', name: 'Support' } }] },
    ],
    groups: [{ group_id: 'g1', name: 'Support' }],
    attributes: { desk: 'by the window', floor: 1 },
    attribute_definitions: [
      { ...own, name: 'room', label: 'Kitchen', type: 'enum', options: ['Kitchen'] },
      { ...own, name: 'tea', label: 'Kitchen', type: 'boolean' },
      { ...own, name: 'list', label: 'Kitchen', type: 'string[]', required: true },
      { ...own, name: 'floor', label: 'Kitchen', type: 'number' },
      { ...definition, editable_by: 'admin', name: 'desk', label: 'Kitchen', type: 'string' },
    ],
  },
  factors: { factors: [factor, { ...factor, kind: 'passkey', last_used_at: instant }], recovery_codes: 7 },
  sessions: [
    { session_id: 's1', current: false, created_at: instant, last_seen_at: instant, ...device },
    {
      session_id: 's2',
      current: true,
      created_at: instant,
      last_seen_at: instant,
      ...device,
      device: 'Unknown device',
    },
  ],
  trustedBrowsers: [{ browser_id: 'b1', created_at: instant, last_used_at: instant, expires_at: instant, ...device }],
  identities: [identity],
  keys: [key, { ...key, expires_at: null }],
} as unknown as Account

const record = {
  occurred_at: instant,
  outcome: 'success',
  actor: { kind: 'user', id: 'u1', name: 'ada' },
  changes: null,
  address: '192.0.2.7',
  user_agent: 'Firefox/145.0 (X11; Linux x86_64)',
}
const byOther = { ...record, actor: { kind: 'user', id: 'u2', name: 'grace' } }

function activityIn({ t }: Frame): AuditRecord[] {
  const { words, members } = t.account.activity
  const changes = Object.fromEntries(Object.keys(members).map((name) => [name, 'changed']))
  return [
    { ...record, action: 'session.created', outcome: 'failure', actor: { kind: 'anonymous', id: '', name: null } },
    { ...byOther, action: 'user.updated', changes },
    { ...record, action: 'user.updated', actor: { kind: 'api_key', id: 'k', name: 'laptop' } },
    ...Object.keys(words).map((action) => ({ ...record, action })),
  ] as unknown as AuditRecord[]
}

export function everyAccountPage(frame: Frame): Record<string, Page> {
  const { t } = frame
  const { faults, saved } = t.account
  const step = { returnTo: '/reports', faults: { fields: {} }, typed: {} }
  const view = {
    account,
    activity: activityIn(frame),
    now,
    here: '/auth/account',
    ...step,
    hasPassword: true,
    hasMail: true,
    canLink: true,
    mayDelete: true,
    passkeys: [],
  }
  const me = { ...account.me, managed_by: 'c1', email: null, groups: [], attribute_definitions: [] }
  const bare = { me, factors: { factors: [], recovery_codes: 0 }, trustedBrowsers: [], identities: [], keys: [] }
  const bareView = {
    ...view,
    account: { ...account, ...bare } as unknown as Account,
    activity: [],
    returnTo: undefined,
  }
  const created: Record<string, Page> = {
    account: accountPage(frame, view),
    managedAccount: accountPage(frame, bareView),
    setAddress: steps.addressPage(frame, { ...step, email: null, hasMail: false }),
    changeAddress: steps.addressPage(frame, { ...step, email: 'ada@example.com', hasMail: true }),
    changeFactor: steps.factorPage(frame, { ...step, factor: factor as never }),
    unlink: steps.unlinkPage(frame, { ...step, identity: identity as never }),
    createKey: steps.keyPage(frame, { ...step, permissions: ['users:read', 'reports:read'] }),
    newKey: steps.newKeyPage(frame, { returnTo: undefined, key: 'rb_key' }),
    deletion: steps.deletionPage(frame, { ...step, graceDays: 7 }),
    deleted: steps.deletedPage(frame, { graceDays: 0 }),
  }
  for (const [name, fault] of Object.entries(faults)) {
    created[`fault ${name}`] = steps.addressPage(frame, {
      ...step,
      faults: { fields: { email: fault } },
      email: null,
      hasMail: true,
    })
  }
  for (const [name, note] of Object.entries(saved)) created[`saved ${name}`] = accountPage(frame, { ...bareView, note })
  return created
}
