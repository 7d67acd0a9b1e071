// It belongs to test:rest: random lives, whose rules compact.test.ts and events.test.ts state one by one.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { follow, readDirectory, replay } from '../../../test/events/directory.ts'
import { everyEngine, type Started, start } from '../../../test/harness.ts'
import { system } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { compactEvents } from './compact.ts'

const dayMs = 86_400_000
const lives = cases(4)
const days = 30

/** One action; `who` and `which` choose among what exists. */
type Deed = { kind: (typeof kinds)[number]; who: number; which: number; hours: number }
const kinds = [
  'create',
  'sign_in',
  'create',
  'create',
  'update',
  'demote',
  'rename',
  'disable',
  'delete',
  'restore',
  'sign_in',
  'sign_in',
  'end_session',
  'end_sessions',
  'create_key',
  'rotate_key',
  'revoke_key',
  'prune_sessions',
] as const

const deed: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat(99),
  which: fc.nat(99),
  hours: fc.nat(72),
})

/** A hash is any text here: hashing is not the subject. */
const verified_hash = 'a hash'

function actor(app: Started, clock: () => number) {
  const known = { user: [] as string[], session: [] as [user: string, session: string][], key: [] as string[] }
  const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)]
  const request = () => ({ actor: system, now: clock(), requestId: 'test' })
  let names = 0

  /** A refused action, for example on a deleted user, changes nothing. */
  return async ({ kind, who, which }: Deed): Promise<void> => {
    const user_id = pick(known.user, who) ?? 'nobody'
    const [owner, session_id] = pick(known.session, which) ?? ['nobody', 'none']
    const key_id = pick(known.key, which) ?? 'none'
    const patch = (body: object) => app.call('PATCH', `/users/${user_id}`, { body })
    switch (kind) {
      case 'create': {
        const username = `user-${++names % 20}`
        const input = { username, username_key: username, password_hash: verified_hash, role: 'admin' }
        const created = app.storage.change('users.create', input, request())
        known.user.push(...(await created.then(({ result }) => [result.user_id], refused)))
        return
      }
      case 'sign_in': {
        const input = {
          user_id,
          verified_hash,
          amr: ['pwd'],
          credentials_version: 0,
          token_hash: `${clock()} ${who} ${which}`,
          address: '192.0.2.7',
          user_agent: 'x',
        }
        const begun = app.storage.change('sessions.begin', input, request())
        const created = await begun.then(
          ({ result }) => [[user_id, result.session.session_id] as [string, string]],
          refused,
        )
        known.session.push(...created)
        return
      }
      case 'create_key': {
        const { body } = await app.call('POST', '/keys', {
          body: { name: `key ${which}`, permissions: ['users:read'] },
        })
        known.key.push(body.key_id)
        return
      }
      case 'update':
        return void (await patch({ first_name: `${which}`, email: which % 3 === 0 ? null : `${which}@example.com` }))
      case 'rename':
        return void (await patch({ username: `user-${which % 20}` }))
      case 'demote':
        return void (await patch({ role: which % 2 === 0 ? 'user' : 'admin' }))
      case 'disable':
        return void (await patch({ active: which % 2 === 0 }))
      case 'delete':
        return void (await app.call('DELETE', `/users/${user_id}${which % 4 === 0 ? '?purge=true' : ''}`))
      case 'restore':
        return void (await app.call('POST', `/users/${user_id}/restore`))
      case 'end_session':
        return void (await app.call('DELETE', `/users/${owner}/sessions/${session_id}`))
      case 'end_sessions':
        return void (await app.call('DELETE', `/users/${user_id}/sessions`))
      case 'rotate_key':
        return void (await app.call('POST', `/keys/${key_id}/rotate`))
      case 'revoke_key':
        return void (await app.call('DELETE', `/keys/${key_id}`))
      case 'prune_sessions':
        return void (await app.storage.change('sessions.prune', { everyMs: 60_000 }, request()))
    }
  }
}

function refused(error: unknown): never[] {
  if (error instanceof AppError) return []
  throw error
}

for (const engine of everyEngine) {
  describe(`a replay of the change feed on ${engine.name}`, () => {
    it('leads to the same users, sessions, keys and roles, whatever happened, compacted or not', async (t) => {
      const deeds = fc.array(deed, { minLength: 120, maxLength: 250, size: 'max' })
      let received = 0
      await fc.assert(
        fc.asyncProperty(deeds, async (life) => {
          let now = Date.now()
          const app = await start(t, engine, { clock: () => now, env: { ROLLBOOK_RATE_LIMIT: '0' } })
          const request = () => ({ actor: system, now, requestId: 'test' })
          await app.storage.change('roles.announce', undefined, request())
          const act = actor(app, () => now)
          for (const [i, one] of life.entries()) {
            now += one.hours * 3_600_000
            await act(one)
            // Somewhere in the middle, and sometimes again.
            if (i % 30 === 29) await compactEvents(app.storage, 2, request())
          }
          // Uses are written once a minute, and sessions are deleted a little after they end.
          await app.storage.change('sessions.prune', { everyMs: 1000 }, { ...request(), now: now + 60_000 })
          const expected = await readDirectory(app)
          const events = await follow(app, { limit: 7 })
          assert.deepEqual(replay(events, { isWhole: false }), expected)
          received += events.length
          now += days * dayMs
          await compactEvents(app.storage, 1, request())
          assert.deepEqual(replay(await follow(app), { isWhole: false }), expected)
        }),
        { numRuns: lives, endOnFailure: true },
      )
      t.diagnostic(`${received} events of ${lives} lives`)
    })

    it('is complete if nothing was compacted: nothing starts twice, and nothing ends that did not start', async (t) => {
      const deeds = fc.array(deed, { minLength: 100, maxLength: 200, size: 'max' })
      await fc.assert(
        fc.asyncProperty(deeds, async (life) => {
          let now = Date.now()
          const app = await start(t, engine, { clock: () => now, env: { ROLLBOOK_RATE_LIMIT: '0' } })
          const act = actor(app, () => now)
          for (const one of life) {
            now += one.hours * 3_600_000
            await act(one)
          }
          const events = await follow(app)
          replay(events, { isWhole: true })
          assert.deepEqual(
            events.map(({ sequence }) => Number(sequence)),
            events.map((_, i) => i + 1),
          )
        }),
        { numRuns: 2, endOnFailure: true },
      )
    })
  })
}
