/** What Rollbook and its operators do: the first administrator, a restored store, encryption, housekeeping long after everything else. */
import pino from 'pino'
import { makeSetupLink } from '../../src/access/sign-in/setup/link.ts'
import { startHousekeeping } from '../../src/app/housekeeping.ts'
import { takeOver } from '../../src/operations/move/restored.ts'
import { prepareSecrets } from '../../src/store/secrets/rotation.ts'
import type { Storage } from '../../src/store/storage/storage.ts'
import { adminKey, type Started } from '../harness.ts'
import { password } from '../people.ts'
import type { Script } from './script.ts'

const [first, second] = ['a secret of the tests with enough length', 'another secret of the tests with enough length']
const dayMs = 86_400_000

export async function starts({ app, visitor, change, request }: Script): Promise<void> {
  // A start with another key, and again with this one.
  await change('keys.bootstrap', { key: `${adminKey}-2`, managed: true })
  await change('keys.bootstrap', { key: adminKey, managed: true })
  await change('roles.announce', undefined as never)
  const link = await makeSetupLink(app.storage, '', request())
  await visitor('GET /setup')
  await visitor('POST /setup', { token: 'of no link', username: 'First', password }, { refused: 403 })
  await visitor('POST /setup', { token: link?.split('#token=')[1], username: 'First', password })
}

/** A store that was restored from a backup: messages that waited are held until an operator decides. */
export async function restores({ app, admin, clock }: Script): Promise<void> {
  for (const decision of ['release', 'discard']) {
    await admin('POST /mails/test', { address: 'postmaster@example.com' })
    await takeOver(app.storage, { isTrial: false, origin: undefined, now: clock() })
    await admin(`POST /mails/${decision}`)
  }
}

export async function seals({ app, clock, change }: Script): Promise<void> {
  await prepareSecrets(app.storage, { keyEncryptionSecret: first, keyEncryptionSecretPrevious: undefined }, clock())
  await change('secrets.rotate', { secrets: [second, first], discard: false })
  await change('secrets.rotate', { secrets: [first], discard: true })
}

export async function housekeeping({ app, clock }: Script): Promise<void> {
  await round(app, clock)
  await clock.pass(1000 * dayMs)
  await round(app, clock)
  await clock.pass(dayMs / 24)
  await round(app, clock)
}

/** A stop runs the last round, and waits for its end only so long. */
async function round({ storage, tokens, database, config }: Started, clock: () => number): Promise<void> {
  const last = database === undefined ? 'statistics.tidy' : 'nodes.remove'
  const whenEnded = Promise.withResolvers<void>()
  const change: Storage['change'] = async (name, ...rest) => {
    const created = await storage.change(name, ...rest)
    if (name === last) whenEnded.resolve()
    return created
  }
  const { stop } = startHousekeeping({
    config,
    storage: { ...storage, change },
    authenticator: { takeUses: () => ({ keys: [], sessions: [] }) },
    tokens,
    log: pino({ enabled: false }),
    clock,
    // The clock of the database is the machine's.
    sharedClock: async () => undefined,
    confirmedDate: new Date(clock()).toISOString().slice(0, 10),
  })
  await stop()
  await whenEnded.promise
}
