import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { createLog } from '../../app/log.ts'
import { withLastResort } from './last-resort.ts'

describe('a handler of errors that fails', () => {
  for (const [how, respond] of [
    ['throws', () => assert.fail('inner words')],
    ['rejects', () => Promise.reject(new Error('inner words'))],
  ] as const) {
    it(`shows the caller no inner words, and is logged, if it ${how}`, async (t) => {
      const lines: string[] = []
      const log = createLog('info', { write: (line) => void lines.push(line) })
      const app = Fastify({ loggerInstance: log, disableRequestLogging: true, genReqId: () => 'the-request' })
      t.after(() => app.close())
      app.setErrorHandler(withLastResort(respond as never, '/auth'))
      app.get('/', () => Promise.reject(new Error('first')))
      const { statusCode, body, headers } = await app.inject('/')
      assert.deepEqual([statusCode, headers['x-request-id']], [500, 'the-request'])
      assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
      assert.equal(JSON.parse(body).code, 'internal_error')
      assert.doesNotMatch(body, /inner words|first/)
      assert.match(lines.join(''), /"level":"error".*"request_id":"the-request".*inner words/)
    })
  }
})
