import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { deviceSeconds, newDeviceId, readDevice, readDevices, withDevice, writeDevice } from './device.ts'

const secret = randomBytes(32)
const now = Date.UTC(2026, 10, 20)
const device = { user_id: '019a9f00-0000-7000-8000-000000000001', device_id: newDeviceId() }
const value = writeDevice(secret, device, now)

describe('the cookie of a familiar browser', () => {
  it('is read as written, for 180 days', () => {
    assert.deepEqual(readDevice(secret, value, now), device)
    assert.deepEqual(readDevice(secret, value, now + deviceSeconds * 1000 - 1000), device)
    assert.equal(readDevice(secret, value, now + deviceSeconds * 1000), undefined)
  })

  it('is good for a cookie as it stands', () => {
    assert.match(value, /^[\w.-]{100,160}$/)
  })

  it('is refused if any character is changed, left out or added', () => {
    for (let i = 0; i < value.length; i++) {
      const changed = [...'ABgz9-.'].filter((other) => other !== value[i])
      for (const forged of [
        ...changed.map((other) => value.slice(0, i) + other + value.slice(i + 1)),
        value.slice(0, i) + value.slice(i + 1),
        `${value.slice(0, i)}A${value.slice(i)}`,
      ]) {
        assert.equal(readDevice(secret, forged, now), undefined, `${i}: ${forged}`)
      }
    }
  })

  it('is refused with another secret, for another user, and when it is no cookie of ours at all', () => {
    assert.equal(readDevice(randomBytes(32), value, now), undefined)
    const other = '019a9f00-0000-7000-8000-000000000002'
    assert.equal(readDevice(secret, value.replace(device.user_id, other), now), undefined)
    for (const text of [undefined, '', '....', 'x'.repeat(200), `${value}\n`, ` ${value}`]) {
      assert.equal(readDevice(secret, text, now), undefined)
    }
  })

  it('knows the last four users who signed in, each separately, and accepts no forged entry', () => {
    const people = Array.from({ length: 5 }, (_, i) => ({ ...device, user_id: device.user_id.slice(0, -1) + i }))
    const cookie = people.reduce<string | undefined>((last, one) => withDevice(secret, last, one, now), undefined)
    assert.deepEqual(readDevices(secret, cookie, now), people.slice(1).reverse())
    const again = withDevice(secret, cookie, people[3] as typeof device, now)
    assert.deepEqual(
      readDevices(secret, again, now).map(({ user_id }) => user_id.at(-1)),
      ['3', '4', '2', '1'],
    )
    assert.deepEqual(readDevices(secret, `${'x'.repeat(100)}~${value}~${value.slice(1)}`, now), [device])
    assert.deepEqual(readDevices(secret, undefined, now), [])
    assert.ok(again.length < 700)
  })
})
