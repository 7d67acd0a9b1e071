import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { SendFailure } from '../http/outgoing/agent.ts'
import { causeOf, createOutages, type OutsideSystem } from './outages.ts'

const mailServer: OutsideSystem = { kind: 'mail_server', id: 'smtp' }
const providerCalledFor = (part: string): OutsideSystem => ({
  kind: 'identity_provider',
  id: 'one',
  labels: { connection_id: 'one' },
  part,
})

type Line = { level: number; system: string; cause?: string; seconds?: number; failures?: number; part?: string }

function outagesAt(first = Date.UTC(2026, 10, 20)) {
  const clock = { now: first }
  const lines: Line[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const outages = createOutages({ log, clock: () => clock.now })
  const levels = () => lines.map(({ level }) => log.levels.labels[level])
  return { clock, lines, outages, levels }
}

describe('the outage of an outside system', () => {
  it('is one warning and one line when it is over, however many requests fail', () => {
    const { clock, lines, outages, levels } = outagesAt()
    for (let i = 0; i < 10_000; i++) {
      clock.now += 10
      outages.failed(mailServer, i === 0 ? 'timeout' : 'connection_refused')
    }
    clock.now += 20_010
    for (let i = 0; i < 10_000; i++) outages.succeeded(mailServer)
    assert.deepEqual(levels(), ['warn', 'info'])
    assert.equal(lines[0]?.cause, 'timeout')
    assert.deepEqual([lines[1]?.seconds, lines[1]?.failures], [120, 10_000])
    clock.now += 3_600_000
    outages.failed(mailServer, 'timeout')
    outages.succeeded(mailServer)
    assert.deepEqual(levels(), ['warn', 'info', 'warn', 'info'])
  })

  it('that comes again and again is reported a few times, and then until it is quiet', () => {
    const { clock, outages, levels } = outagesAt()
    for (let i = 0; i < 10_000; i++) {
      clock.now += 100
      outages.failed(mailServer, 'timeout')
      outages.succeeded(mailServer)
    }
    assert.equal(levels().join(' '), 'warn info warn info warn info warn')
    clock.now += 600_000
    outages.succeeded(mailServer)
    assert.equal(levels().at(-1), 'info')
  })

  it('ends only when what failed works, although the system may succeed in other parts', () => {
    const { lines, outages, levels } = outagesAt()
    for (let i = 0; i < 10; i++) {
      outages.succeeded(providerCalledFor('token'))
      outages.failed(providerCalledFor('userinfo'), 'status_503')
    }
    outages.succeeded(providerCalledFor('userinfo'))
    assert.deepEqual(levels(), ['warn', 'info'])
    assert.deepEqual([lines[0]?.part, lines[1]?.failures], ['userinfo', 10])
  })

  it('is counted for an hour after the last failure, unless only an administrator tries the system', () => {
    const { clock, outages, levels } = outagesAt()
    outages.failed(providerCalledFor('token'), 'timeout')
    outages.failed({ kind: 'identity_provider', id: 'new', isTrial: true }, 'timeout')
    assert.equal(levels().length, 2)
    assert.deepEqual(outages.counts(), {
      ...{ identity_provider: 1, mail_server: 0, webhook_receiver: 0, product: 0, trusted_issuer: 0 },
    })
    clock.now += 3_600_000
    assert.equal(outages.counts().identity_provider, 0)
  })

  it('is remembered for a limited number of systems, and not after the stop', () => {
    const { lines, outages } = outagesAt()
    for (let i = 0; i < 10_050; i++) outages.failed({ kind: 'webhook_receiver', id: String(i) }, 'timeout')
    assert.equal(outages.counts().webhook_receiver, 10_000)
    outages.close()
    lines.length = 0
    outages.failed(mailServer, 'timeout')
    outages.succeeded({ kind: 'webhook_receiver', id: '10049' })
    assert.deepEqual(lines, [])
  })
})

describe('the cause of a failure', () => {
  const cases: [unknown, string][] = [
    ['status_503', 'status_503'],
    [new SendFailure('timeout'), 'timeout'],
    [Object.assign(new Error('10.0.0.1'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new DOMException('too late', 'TimeoutError'), 'timeout'],
    [new Error('no', { cause: new Response(null, { status: 503 }) }), 'status_503'],
    [Object.assign(new Error('no'), { reason: 'service_refused', cause: { code: 49 } }), 'service_refused: result_49'],
    [Object.assign(new Error('no', { cause: new SendFailure('tls_failed') }), { code: 'ERR_X' }), 'ERR_X: tls_failed'],
    [new SyntaxError('Unexpected token in {"email": "ada@example.com"}'), 'SyntaxError'],
    [Object.assign(new Error('no'), { code: 'ada@example.com' }), 'Error'],
    ['the password was: secret', 'unknown'],
    [undefined, 'unknown'],
    [null, 'unknown'],
  ]
  for (const [error, cause] of cases) it(`is in words alone: ${cause}`, () => assert.equal(causeOf(error), cause))

  it('ends, even if an error is its own cause', () => {
    const error = Object.assign(new Error('no'), { code: 'ONE' })
    error.cause = error
    assert.equal(causeOf(error), 'ONE')
  })
})
