/** The permissions of a new key, by subject and with what they mean. Subjects that are rarely used are folded. */
import { type BuiltInPermission, parsePermission } from '../../../core/permissions.ts'
import { type Html, html } from '../../../lib/html.ts'
import { describedBy, faultAt } from '../login-pages/service.ts'
import type { PermissionSubject, Texts } from '../page-texts/service.ts'
import type { Faults } from './faults.ts'

/** Before the name of a permission, in the name of its field: fields that appear twice are refused. */
export const permissionPrefix = 'permission.'

type Subjects = Partial<Record<PermissionSubject, readonly BuiltInPermission[]>>

const usual = {
  users: ['users:read', 'users:write', 'users:import', 'users:export_hashes', 'users:impersonate'],
  groups: ['groups:read', 'groups:write'],
  organizations: ['organizations:read', 'organizations:write'],
  sessions: ['sessions:read', 'sessions:write'],
  records: ['audit:read', 'metrics:read'],
} as const satisfies Subjects

const rare = {
  roles: ['roles:write', 'policies:read', 'policies:write'],
  access: ['keys:read', 'keys:write', 'tokens:introspect', 'signing_keys:write'],
  attributes: ['attributes:read', 'attributes:write'],
  connections: ['connections:read', 'connections:write'],
  provisioning: ['provisioning:read', 'provisioning:write', 'scim:write'],
  events: ['webhooks:read', 'webhooks:write', 'events:read'],
  mails: ['mails:read', 'mails:write'],
  branding: ['branding:write'],
  configuration: ['configuration:read', 'configuration:write'],
  reviews: ['reviews:read', 'reviews:write'],
} as const satisfies Subjects

const builtIn: ReadonlySet<string> = new Set([usual, rare].flatMap((subjects) => Object.values(subjects).flat()))

type Typed = Readonly<Record<string, string | undefined>>
type Ticks = { t: Texts; faults: Faults; permissions: readonly string[]; typed: Typed }

export function permissionFields({ t, faults, permissions, typed }: Ticks): Html {
  const { may, mayHint } = t.account.keys
  const words = t.account.permissions
  const first = subjectFields(t, { subjects: usual, permissions, typed })
  const own = permissions.filter((permission) => permission !== '*' && !builtIn.has(parsePermission(permission).word))
  const ofProduct =
    own.length === 0 ? html`` : subject(words.ofProduct, { boxes: own.map((one) => box(t, one, typed)) })
  const others = subjectFields(t, { subjects: rare, permissions, typed })
  const isFolded = first.text !== '' && others.text !== ''
  const isOpen = Object.values(rare).some((group) =>
    group.some((word) => permissions.some((one) => parsePermission(one).word === word && isTicked(one, typed))),
  )
  return html`<fieldset class="field"${describedBy('permissions-fault', faults.fields.permissions, 'permissions-hint')}>
<legend>${may}</legend>
${faultAt('permissions-fault', faults.fields.permissions)}<p id="permissions-hint">${mayHint}</p>
${first}${ofProduct}${isFolded ? html`<details class="more"${isOpen ? html` open` : ''}><summary>${words.more}</summary>\n${others}</details>\n` : others}</fieldset>
`
}

function subjectFields(
  t: Texts,
  { subjects, permissions, typed }: Omit<Ticks, 't' | 'faults'> & { subjects: Subjects },
) {
  return Object.entries(subjects).reduce((before, [name, words]) => {
    const held = words.flatMap((word) => permissions.filter((one) => parsePermission(one).word === word))
    if (held.length === 0) return before
    const title = t.account.permissions.subjects[name as PermissionSubject]
    return html`${before}${subject(title, { boxes: held.map((one) => box(t, one, typed)) })}`
  }, html``)
}

function subject(title: string, { boxes }: { boxes: readonly Html[] }): Html {
  const all = boxes.reduce((before, one) => html`${before}${one}`, html``)
  return html`<fieldset class="subject">
<legend>${title}</legend>
${all}</fieldset>
`
}

function box(t: Texts, permission: string, typed: Typed): Html {
  const meaning = meaningOf(t, permission)
  const checked = isTicked(permission, typed) ? html` checked` : ''
  const what = meaning === undefined ? '' : html`<span class="meaning">${meaning}</span> `
  return html`<label class="check"><input type="checkbox" name="${permissionPrefix + permission}" value="on"${checked}> <span>${what}<code dir="ltr">${permission}</code></span></label>\n`
}

function isTicked(permission: string, typed: Typed): boolean {
  return typed[permissionPrefix + permission] !== undefined
}

function meaningOf({ account: { permissions } }: Texts, permission: string): string | undefined {
  const { word, isLimited } = parsePermission(permission)
  const meaning = permissions.meanings[word as BuiltInPermission] as string | undefined
  return isLimited && meaning !== undefined ? permissions.limited(meaning) : meaning
}
