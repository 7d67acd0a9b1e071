/** What Rollbook does by itself: the first administrator, sealing, housekeeping long after everything else. */
import pino from 'pino'
import { sealPlainConnections } from '../../src/access/connections/secrets.ts'
import { sealPlainFactors } from '../../src/access/factors/secrets.ts'
import { makeSetupLink } from '../../src/access/setup/link.ts'
import { sealPrivateKey } from '../../src/access/tokens/key-pair.ts'
import { listSigningKeys } from '../../src/access/tokens/store.ts'
import { startHousekeeping } from '../../src/app/housekeeping.ts'
import { sealPlainSecrets } from '../../src/record/webhooks/secrets.ts'
import { loadSecrets } from '../../src/store/secrets/service.ts'
import { adminKey } from '../harness.ts'
import { password } from '../people.ts'
import type { Script } from './script.ts'

const encryptionSecret = 'a secret of the tests with enough length'
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

export async function seals({ app, clock, change }: Script): Promise<void> {
  const { storage } = app
  await loadSecrets(storage, encryptionSecret, clock())
  await sealPlainSecrets(storage, encryptionSecret, clock())
  await sealPlainFactors(storage, encryptionSecret, clock())
  await sealPlainConnections(storage, encryptionSecret, clock())
  const keys = await listSigningKeys(storage.db)
  const sealed = keys.map(({ kid, private_key }) => ({
    kid,
    private_key: sealPrivateKey(encryptionSecret, kid, private_key),
  }))
  await change('signing_keys.seal', sealed)
}

export async function housekeeping({ app, clock }: Script): Promise<void> {
  const round = (confirmedDate?: string) =>
    startHousekeeping({
      storage: app.storage,
      authenticator: { takeUses: () => ({ keys: [], sessions: [] }) },
      tokens: app.tokens,
      log: pino({ enabled: false }),
      idempotencyHours: 24,
      eventsDays: 90,
      auditDays: 400,
      clock,
      // The clock of the database is the machine's.
      sharedClock: async () => undefined,
      confirmedDate,
    }).stop()
  await round()
  await clock.pass(1000 * dayMs)
  await round(new Date(clock()).toISOString().slice(0, 10))
  await clock.pass(dayMs / 24)
  await round(new Date(clock()).toISOString().slice(0, 10))
}
