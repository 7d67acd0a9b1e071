import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { makeSecret, signingSecrets } from './secrets.ts'

const encryptionSecret = 'a secret that seals the secrets of webhooks'
const endpoint_id = '01a1f8a3-ee02-7386-8d99-56b674796122'
const now = Date.UTC(2026, 10, 20)
const never = { previous_secret: null, previous_expires_at: null }

describe('the secret of a webhook', () => {
  it('has 256 random bits in the form that Standard Webhooks libraries take', () => {
    const [one, other] = [makeSecret(endpoint_id, undefined), makeSecret(endpoint_id, undefined)]
    assert.match(one.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(one.secret.slice(6), 'base64').length, 32)
    assert.notEqual(one.secret, other.secret)
    assert.ok(new Webhook(one.secret).sign('id', new Date(now), '{}').startsWith('v1,'))
  })

  it('is encrypted if a secret is configured for that, and can be decrypted for its endpoint only', () => {
    const { secret, stored, sealed } = makeSecret(endpoint_id, encryptionSecret)
    assert.equal(sealed, 1)
    assert.ok(!stored.includes(secret.slice(6, 20)))
    const row = { endpoint_id, secret: stored, ...never }
    assert.deepEqual(signingSecrets(row, [encryptionSecret], now), [secret])
    const copied = { ...row, endpoint_id: endpoint_id.replace('01', '02') }
    assert.throws(() => signingSecrets(copied, [encryptionSecret], now))
    assert.throws(() => signingSecrets(row, ['another secret, of another installation'], now))
    assert.throws(() => signingSecrets(row, [], now), { code: 'secret_unreadable' })
  })

  it('from before the rotation signs until the overlap ends, and no longer', () => {
    const [newer, older] = [makeSecret(endpoint_id, encryptionSecret), makeSecret(endpoint_id, undefined)]
    const row = {
      endpoint_id,
      secret: newer.stored,
      previous_secret: older.stored,
      previous_expires_at: new Date(now).toISOString(),
    }
    assert.deepEqual(signingSecrets(row, [encryptionSecret], now - 1), [newer.secret, older.secret])
    assert.deepEqual(signingSecrets(row, [encryptionSecret], now), [newer.secret])
  })
})
