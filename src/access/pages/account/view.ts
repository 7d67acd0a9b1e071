/** The account page itself, made of sections. Each is there only where it is used. */

import { encodeQuery } from '../../../http/request/query.ts'
import { type Html, html, type Text } from '../../../lib/html.ts'
import type { AuditRecord } from '../../../record/audit/schema.ts'
import type { PasskeyAccount } from '../../credentials/factors/schema.ts'
import { type Frame, hiddenReturnTo, type Page, page, signOutForm } from '../login-pages/service.ts'
import { languageNames, languages } from '../page-texts/service.ts'
import type { Account } from './account.ts'
import { activityLines } from './activity.ts'
import { deviceIn } from './device.ts'
import { type Faults, summaryOf } from './faults.ts'
import { attributeField, attributeText, selectField, textField } from './fields.ts'

export type AccountView = {
  account: Account
  activity: readonly AuditRecord[]
  /** The passkeys that password managers may keep, after one was removed; usually empty. */
  passkeys: readonly PasskeyAccount[]
  now: number
  /** The path of this page, for pages that lead back to it. */
  here: string
  /** Where the page links back to. */
  returnTo: string | undefined
  note?: Text | undefined
  faults: Faults
  /** What was typed in a form that was refused. */
  typed: Readonly<Record<string, string | undefined>>
  /** The user has one and may use it. */
  hasPassword: boolean
  hasMail: boolean
  /** There is a company whose accounts can be linked. */
  canLink: boolean
  mayDelete: boolean
}

export function accountPage(frame: Frame, view: AccountView): Page {
  const { t } = frame
  const { returnTo, note, faults } = view
  const back =
    returnTo === undefined ? '' : html`<p><a href="${returnTo}">${t.account.backTo(frame.productName)}</a></p>\n`
  const sections = [
    profile(frame, view),
    language(frame, view),
    address(frame, view),
    password(frame, view),
    factors(frame, view),
    sessions(frame, view),
    trustedBrowsers(frame, view),
    linked(frame, view),
    keys(frame, view),
    groups(frame, view),
    access(frame, view),
    accessEnd(frame, view),
    activity(frame, view),
    data(frame),
    deletion(frame, view),
  ]
  return page(
    frame,
    { title: t.account.title, fault: summaryOf(t, faults), note, isAccount: true },
    html`
${back}${joined(sections)}${signals(frame, view)}`,
  )
}

/** So that password managers no longer offer a passkey that was removed, and show the user's present name. */
function signals({ assets }: Frame, { passkeys }: AccountView): Html {
  if (passkeys.length === 0) return html``
  return html`<script defer src="${assets}/signal-passkeys.js" data-accounts="${JSON.stringify(passkeys)}"></script>\n`
}

/** A path below the page that keeps the place to return to. */
export function accountPath({ up }: Frame, path: string, query: Readonly<Record<string, string | undefined>>): string {
  return withQuery(`${up}account${path}`, query)
}

export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const text = encodeQuery(query)
  return text === '' ? path : `${path}?${text}`
}

function joined(parts: readonly (Html | string)[]): Html {
  return parts.reduce<Html>((before, part) => html`${before}${part}`, html``)
}

function section(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}-title" id="${id}">
<h2 id="${id}-title">${title}</h2>
${content}</section>
`
}

function profile(frame: Frame, { account: { me, etag }, returnTo, faults, typed }: AccountView): Html {
  const { profile: words, save } = frame.t.account
  const isManaged = me.managed_by !== undefined
  const editable = me.attribute_definitions.filter(({ editable_by }) => editable_by === 'user')
  const readOnly = me.attribute_definitions.filter(({ editable_by }) => editable_by !== 'user')
  const facts = [
    [words.username, me.username],
    ...(isManaged
      ? ([
          [words.firstName, me.first_name],
          [words.lastName, me.last_name],
        ] as const)
      : []),
    ...readOnly.map(({ name, label }) => [label, attributeText(me.attributes[name])] as const),
  ] as const
  const shownOf = (name: string, value: string) => typed[name] ?? value
  const nameFields = isManaged
    ? html`<p class="quiet">${words.managed}</p>\n`
    : html`${textField({ name: 'first_name', label: words.firstName, value: shownOf('first_name', me.first_name), faults, autocomplete: 'given-name' })}${textField({ name: 'last_name', label: words.lastName, value: shownOf('last_name', me.last_name), faults, autocomplete: 'family-name' })}`
  const attributes = editable.map((one) =>
    attributeField(frame.t, one, shownOf(`attributes.${one.name}`, attributeText(me.attributes[one.name])), faults),
  )
  const form =
    isManaged && editable.length === 0
      ? nameFields
      : html`<form method="post" action="${accountPath(frame, '/profile', {})}">
${hiddenReturnTo(returnTo)}<input type="hidden" name="etag" value="${etag}">
${nameFields}${joined(attributes)}<button class="action" type="submit">${save}</button>
</form>
`
  return section('profile', words.title, html`${factList(frame, facts)}${form}`)
}

function factList({ t }: Frame, facts: readonly (readonly [string, string])[]): Html {
  const rows = facts.map(([name, value]) => html`<dt>${name}</dt><dd>${lines(t.page.value, value)}</dd>\n`)
  return html`<dl class="facts">
${joined(rows)}</dl>
`
}

function lines(isolated: (text: string) => Html, text: string): Html {
  return joined(text.split('\n').map((line, i) => html`${i > 0 ? html`<br>` : ''}${isolated(line)}`))
}

function language(frame: Frame, { account: { me }, returnTo, faults, typed }: AccountView): Html {
  const { language: words, save } = frame.t.account
  const locale = me.locale ?? ''
  const offered = languages.map((one) => ({ value: one as string, text: languageNames[one], lang: one as string }))
  const other = offered.some(({ value }) => value === locale) || locale === '' ? [] : [{ value: locale, text: locale }]
  return section(
    'language',
    words.title,
    html`<form method="post" action="${accountPath(frame, '/language', {})}">
${hiddenReturnTo(returnTo)}${selectField({ name: 'locale', label: words.label, hint: words.hint, value: typed.locale ?? locale, faults, choices: [{ value: '', text: words.none }, ...other, ...offered] })}<button class="action" type="submit">${save}</button>
</form>
`,
  )
}

function address(frame: Frame, { account: { me }, returnTo, hasMail, hasPassword }: AccountView): Html {
  const { t } = frame
  const words = t.account.address
  const { email, pending_email: pending } = me
  const state = email !== null && hasMail ? html` ${me.email_verified ? words.confirmed : words.unconfirmed}` : ''
  const now = email === null ? html`${words.none}` : html`<strong>${t.page.value(email)}</strong>${state}`
  const confirm =
    hasMail && ((email !== null && !me.email_verified) || pending !== undefined)
      ? button(frame, '/address/confirmation', { returnTo, text: words.sendAgain })
      : ''
  const why =
    me.managed_by === undefined
      ? hasPassword
        ? html`<a class="action second" href="${accountPath(frame, '/address', { return_to: returnTo })}">${email === null ? words.set : words.change}</a>\n`
        : html`<p class="quiet">${words.askAdministrator}</p>\n`
      : html`<p class="quiet">${words.managed}</p>\n`
  const waiting = pending === undefined ? '' : html`<p>${words.pending(pending)}</p>\n`
  return section('address', words.title, html`<p>${now}</p>\n${waiting}${confirm}${why}`)
}

function password(frame: Frame, { hasPassword, returnTo, here }: AccountView): Html {
  if (!hasPassword) return html``
  const words = frame.t.account.password
  const href = stepPath(frame, 'change-password', { here, query: { saved: 'password', return_to: returnTo } })
  return section('password', words.title, html`<a class="action second" href="${href}">${words.change}</a>\n`)
}

/** A page of its own that comes back to this one. */
function stepPath(
  { up }: Frame,
  path: string,
  { here, query }: { here: string; query: Readonly<Record<string, string | undefined>> },
): string {
  return `${up}${path}?return_to=${encodeURIComponent(withQuery(here, query))}`
}

function factors(frame: Frame, { account, returnTo, here }: AccountView): Html {
  const { t } = frame
  const words = t.account.factors
  const { factors: list, recovery_codes: left } = account.factors
  const back = { here, query: { return_to: returnTo } }
  const rows = list.map(({ factor_id, kind, name, created_at, last_used_at }) => {
    const used = last_used_at === null ? words.neverUsed : words.lastUsed(last_used_at)
    const what = html`<strong>${t.page.value(name)}</strong><span class="quiet small">${words[kind]}</span><span class="quiet small">${words.added(created_at)}, ${used}</span>`
    const href = accountPath(frame, '/factor', { factor_id, return_to: returnTo })
    return row(
      `factor-${factor_id}`,
      what,
      (id) => html`<a href="${href}" aria-describedby="${id}">${words.change}</a>`,
    )
  })
  const codes =
    list.length === 0
      ? ''
      : html`<h3>${words.codes}</h3>
<p>${words.codesLeft(left)}</p>
<a class="action second" href="${stepPath(frame, 'recovery-codes', back)}">${words.newCodes}</a>
`
  const add = html`<a class="action second" href="${stepPath(frame, 'add-factor', back)}">${words.add}</a>\n`
  return section('factors', words.title, html`${rowList(rows, words.none)}${add}${codes}`)
}

function sessions(frame: Frame, { account, returnTo, now }: AccountView): Html {
  const { t } = frame
  const words = t.account.sessions
  const all = account.sessions.toSorted((a, b) => Number(b.current) - Number(a.current))
  const rows = all.map(({ session_id, current, device, address: from, created_at, last_seen_at }) => {
    const what = html`<strong>${deviceIn(t, device)}</strong>${current ? html`<span class="here small">${words.here}</span>` : ''}<span class="quiet small">${words.since(created_at, now)} ${words.from(from)}, ${words.lastSeen(last_seen_at, now)}</span>`
    return row(`session-${session_id}`, what, (id) =>
      current
        ? signOutForm(frame)
        : rowButton(frame, '/session', { returnTo, fields: { session_id }, text: words.end, id }),
    )
  })
  const others = all.length > 1 ? button(frame, '/sessions', { returnTo, text: words.endOthers }) : ''
  return section('sessions', words.title, html`${rowList(rows, '')}${others}`)
}

function trustedBrowsers(frame: Frame, { account: { trustedBrowsers: all }, returnTo }: AccountView): Html {
  if (all.length === 0) return html``
  const { t } = frame
  const words = t.account.browsers
  const rows = all.map(({ browser_id, device, expires_at }) => {
    const what = html`<strong>${deviceIn(t, device)}</strong><span class="quiet small">${words.until(expires_at)}</span>`
    return row(`browser-${browser_id}`, what, (id) =>
      rowButton(frame, '/browser', { returnTo, fields: { browser_id }, text: words.remove, id }),
    )
  })
  return section('browsers', words.title, html`<p>${words.why}</p>\n${rowList(rows, '')}`)
}

function linked(frame: Frame, { account: { identities }, returnTo, canLink }: AccountView): Html {
  if (identities.length === 0 && !canLink) return html``
  const { t } = frame
  const words = t.account.linked
  const rows = identities.map(({ identity_id, connection_name, email, subject }) => {
    const what = html`<strong>${t.page.value(email ?? subject)}</strong><span class="quiet small">${words.at(connection_name)}</span>`
    const href = accountPath(frame, '/linked', { identity_id, return_to: returnTo })
    return row(
      `identity-${identity_id}`,
      what,
      (id) => html`<a href="${href}" aria-describedby="${id}">${words.unlink}</a>`,
    )
  })
  const add = canLink ? html`<a class="action second" href="${frame.up}link">${words.add}</a>\n` : ''
  return section(
    'linked',
    words.title,
    html`${identities.length === 0 ? '' : html`<p>${words.why}</p>\n`}${rowList(rows, words.none)}${add}`,
  )
}

/** Keys act with the permissions of their owner: a user without any has no use for one. */
function keys(frame: Frame, { account: { me, keys: all }, returnTo }: AccountView): Html {
  if (all.length === 0 && me.permissions.length === 0) return html``
  const { t } = frame
  const words = t.account.keys
  const rows = all.map(({ key_id, name, created_at, expires_at }) => {
    const end = expires_at === null ? words.never : words.expires(expires_at)
    const what = html`<strong>${t.page.value(name)}</strong><span class="quiet small">${t.account.factors.added(created_at)}, ${end}</span>`
    return row(`key-${key_id}`, what, (id) =>
      rowButton(frame, '/key/revocation', { returnTo, fields: { key_id }, text: words.revoke, id }),
    )
  })
  const add = html`<a class="action second" href="${accountPath(frame, '/key', { return_to: returnTo })}">${words.add}</a>\n`
  return section('keys', words.title, html`<p>${words.why}</p>\n${rowList(rows, words.none)}${add}`)
}

function groups(frame: Frame, { account: { me } }: AccountView): Html {
  if (me.groups.length === 0) return html``
  const rows = me.groups.map(({ name }) => html`<li>${frame.t.page.value(name)}</li>\n`)
  return section('groups', frame.t.account.groups.title, html`<ul>\n${joined(rows)}</ul>\n`)
}

/** Where permissions come from, for the few users who have any. */
function access({ t }: Frame, { account: { me } }: AccountView): Html {
  const words = t.account.access
  const found = me.permission_sources.flatMap(({ permission, sources }) =>
    sources.map(({ role, group }) => ({ permission, role, group })),
  )
  const bySource = Map.groupBy(found, ({ role, group }) => (group === null ? `role ${role}` : group.group_id))
  const rows = [...bySource].flatMap(([id, [first, ...others]]) => {
    if (first === undefined) return []
    const { role, group } = first
    const permissions = [first, ...others].map(({ permission }) => permission)
    const what = permissions.includes('*')
      ? [words.everything]
      : permissions.map((permission, i) => html`${i > 0 ? ', ' : ''}<code dir="ltr">${permission}</code>`)
    const from = group === null ? words.fromRole(role) : words.fromGroup(group.name)
    return [
      html`<li><div class="what" id="access-${id.replace(' ', '-')}">${from}<span class="quiet small">${joined(what)}</span></div></li>\n`,
    ]
  })
  return rows.length === 0 ? html`` : section('access', words.title, rowList(rows, ''))
}

/** Only for users with an end date. */
function accessEnd(frame: Frame, { account: { me }, now }: AccountView): Html {
  const { title, until } = frame.t.account.accessEnd
  if (me.expires_at === undefined) return html``
  return section('access-end', title, html`<p>${until(me.expires_at, now)}</p>\n`)
}

function activity(frame: Frame, { account: { me }, activity: records, now }: AccountView): Html {
  const words = frame.t.account.activity
  const rows = activityLines(frame.t, records, { userId: me.user_id, now })
  return section('activity', words.title, rowList(rows, words.none))
}

function data(frame: Frame): Html {
  const words = frame.t.account.data
  return section(
    'data',
    words.title,
    html`<p>${words.why}</p>
<a class="action second" href="${accountPath(frame, '/data', {})}" download>${words.download}</a>
`,
  )
}

function deletion(frame: Frame, { mayDelete, returnTo }: AccountView): Html {
  if (!mayDelete) return html``
  const words = frame.t.account.deletion
  const href = accountPath(frame, '/deletion', { return_to: returnTo })
  return section(
    'deletion',
    words.title,
    html`<p>${words.why}</p>
<a class="action second" href="${href}">${words.open}</a>
`,
  )
}

function rowList(rows: readonly Html[], none: string): Html {
  if (rows.length === 0) return none === '' ? html`` : html`<p class="quiet">${none}</p>\n`
  return html`<ul class="rows">
${joined(rows)}</ul>
`
}

/** `action` gets the id of the text that says what it is about. */
function row(id: string, what: Html, action: (id: string) => Html): Html {
  return html`<li><div class="what" id="${id}">${what}</div>${action(id)}</li>\n`
}

type Button = { returnTo: string | undefined; text: string; fields?: Readonly<Record<string, string>> }

function rowButton(frame: Frame, path: string, { returnTo, text, fields = {}, id }: Button & { id: string }): Html {
  return html`<form method="post" action="${accountPath(frame, path, {})}">
${hiddenReturnTo(returnTo)}${hiddenFields(fields)}<button class="action second" type="submit" aria-describedby="${id}">${text}</button>
</form>`
}

function button(frame: Frame, path: string, { returnTo, text, fields = {} }: Button): Html {
  return html`<form class="beside" method="post" action="${accountPath(frame, path, {})}">
${hiddenReturnTo(returnTo)}${hiddenFields(fields)}<button class="action second" type="submit">${text}</button>
</form>
`
}

export function hiddenFields(fields: Readonly<Record<string, string>>): Html {
  return joined(
    Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`),
  )
}
