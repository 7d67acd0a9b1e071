import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { anyEngine, createUser, type Started, start } from '../../../test/harness.ts'
import { AppError, type ProblemCode, problems } from '../../core/errors.ts'
import { toProblem } from '../response/problem.ts'
import { problemTexts } from './problem-texts.ts'
import { problemsMarkdown } from './problems-page.ts'

const codes = Object.keys(problems) as ProblemCode[]
const engine = anyEngine

describe('the problems page', () => {
  it('explains each code with what happened and what to do, in sentences', () => {
    assert.deepEqual(Object.keys(problemTexts), codes)
    for (const { happened, doNext } of Object.values(problemTexts)) {
      for (const sentences of [happened, doNext]) assert.match(sentences, /^[A-Z].{15,}\.$/)
    }
  })

  it('has a heading for each code in docs/problems.md, which gives the code as its anchor', () => {
    const headings = [...problemsMarkdown().matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    assert.deepEqual(headings, codes)
  })

  for (const [where, env, expected] of [
    ['under the default prefix', {}, 'http://127.0.0.1:8080/auth/users'],
    ['at the root', { ROLLBOOK_BASE_PATH: '/' }, 'http://127.0.0.1:8080/users'],
    ['behind a proxy', { ROLLBOOK_PUBLIC_URL: 'https://a.example/b/auth' }, 'https://a.example/b/auth/users'],
  ] as const) {
    it(`has the anchor that the type of each problem links to, ${where}`, async (t) => {
      const app = await start(t, engine, { env })
      const page = await readPage(app)
      const base = expected.replace('/users', '')
      const refused = await app.call('GET', '/users', { key: null })
      const [typeBase] = refused.body.type.split('/docs/')
      for (const code of codes) {
        const { type } = toProblem(new AppError(code, ''), '', typeBase)
        const target = new URL(type, expected)
        assert.equal(target.origin + target.pathname, `${base}/docs/problems`)
        assert.ok(page.includes(`<section id="${target.hash.slice(1)}">`), `${type} leads nowhere`)
      }
    })
  }

  it('is where every refusal links to, even those that no handler has seen', async (t) => {
    const app = await start(t, engine)
    const { username } = await createUser(app)
    const { port } = new URL(await app.listen())
    const answers = [
      (await app.call('POST', '/users', { body: { username } })).body,
      (await app.call('POST', '/users', { body: { name: 'ada' } })).body,
      (await app.call('GET', '/nowhere')).body,
      (await app.call('GET', '/nowhere/%ff')).body,
      await exchange(port, 'nonsense\r\n\r\n'),
      await exchange(port, 'GET /auth/health/live HTTP/1.1\r\nHost: a\r\nExpect: the-unexpected\r\n\r\n'),
    ]
    const refused = answers.map(({ code }) => code)
    assert.deepEqual(refused, [
      'username_taken',
      'validation_failed',
      'not_found',
      'malformed_request',
      'malformed_request',
      'expectation_failed',
    ])
    for (const { type, code } of answers) assert.equal(type, `/auth/docs/problems#${code}`)
  })

  it('runs nothing, loads nothing, and lets through only the style that it brings', async (t) => {
    const app = await start(t, engine)
    const response = await app.call('GET', '/docs/problems', { key: null })
    const policy = response.headers['content-security-policy'] ?? ''
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(response.text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    assert.match(policy, /^default-src 'none'; /)
    assert.ok(policy.includes(`style-src 'sha256-${hash}'`), policy)
    assert.doesNotMatch(policy, /unsafe|script-src|https?:/)
    assert.doesNotMatch(response.text, /<script|<img|https?:|style="|\son\w+=/i)
    for (const [, target] of response.text.matchAll(/href="([^"]*)"/g))
      assert.match(String(target), /^(#|\.\.\/docs$|data:)/)
  })
})

async function readPage(app: Started): Promise<string> {
  const response = await app.call('GET', '/docs/problems', { key: null })
  assert.equal(response.status, 200)
  assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
  return response.text
}

/** Sends bytes that no HTTP client would, and reads the problem document in the response. */
async function exchange(port: string, request: string): Promise<{ type: string; code: string }> {
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  const [document = ''] = /\{.*\}/.exec(await text(socket)) ?? []
  return JSON.parse(document)
}
