/** Audit records about the user, in words. Records that would tell the user nothing are left out. */
import { type Html, html } from '../../../lib/html.ts'
import type { AuditRecord } from '../../../record/audit/schema.ts'
import { deviceName } from '../../credentials/sessions/service.ts'
import type { Texts } from '../page-texts/service.ts'
import { deviceIn } from './device.ts'

const shownRecords = 20

type Words = Texts['account']['activity']

export function activityLines(
  t: Texts,
  records: readonly AuditRecord[],
  { userId, now }: { userId: string; now: number },
): Html[] {
  const lines: Html[] = []
  for (const record of records) {
    const what = wordsFor(t.account.activity, record)
    if (what === undefined) continue
    const by = actorWords(t, record, userId)
    const from = placeOf(t, record, userId)
    const details = [t.account.moment(record.occurred_at, now), by, from].filter((one) => one !== undefined)
    const joined = details.reduce<Html>((before, one, i) => html`${before}${i > 0 ? ' · ' : ''}${one}`, html``)
    lines.push(html`<li><div class="what">${what}<span class="quiet small">${joined}</span></div></li>\n`)
    if (lines.length === shownRecords) break
  }
  return lines
}

function wordsFor(words: Words, { action, outcome, changes }: AuditRecord): Html | undefined {
  if (action === 'session.created' && outcome === 'failure') return html`${words.signInFailed}`
  if (outcome !== 'success' || !Object.hasOwn(words.words, action)) return undefined
  if (action === 'user.updated' && changes !== null) {
    const members = Object.keys(changes).filter((name) => Object.hasOwn(words.members, name))
    if (members.length > 0)
      return words.changed(members.map((name) => words.members[name as keyof Words['members']]).join(', '))
  }
  return html`${words.words[action as keyof Words['words']]}`
}

/** Who did it; undefined for the user themselves, and for sign-ins of strangers, of whom nothing is known. */
function actorWords({ account: { activity } }: Texts, { actor }: AuditRecord, userId: string): Html | undefined {
  if (actor.kind === 'user' && (actor.id !== userId || actor.acts_as !== undefined)) {
    return actor.name === null ? undefined : activity.by(actor.name)
  }
  return actor.kind === 'api_key' || actor.kind === 'service' ? html`${activity.byProgram}` : undefined
}

/** From where the user, or a stranger who tried to sign in, did it. The address of an administrator is theirs alone. */
function placeOf(t: Texts, { actor, address, user_agent }: AuditRecord, userId: string): Html | undefined {
  const isOwn = actor.kind === 'anonymous' || (actor.kind === 'user' && actor.id === userId)
  if (!isOwn || address === null) return undefined
  return html`${deviceIn(t, deviceName(user_agent ?? ''))} ${t.account.sessions.from(address)}`
}
