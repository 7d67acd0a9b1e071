/** What one engine answers, the other answers too: the same requests go to both, and nothing but ids may differ. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { type Answer, type Request, type Started, start } from '../../../test/harness.ts'
import { postgresIsMissing } from '../../../test/postgres.ts'
import { usernameKey } from '../../lib/precis.ts'

const skip = postgresIsMissing && 'there is no PostgreSQL to compare SQLite with'

/** A request; `{7}` in its path is the id of the eighth user that was made, or of one counted on from the last. */
type Step = Request & { method: string; path: string }
type Side = { app: Started; ids: string[] }

/** Two applications whose clocks show the same. */
async function bothEngines(t: TestContext) {
  const clock = { now: Date.UTC(2026, 10, 20) }
  const env = { ROLLBOOK_ROLES: '{"support": ["users:read"]}' }
  const options = { env, clock: () => clock.now }
  const sides: Side[] = [
    { app: await start(t, { name: 'SQLite' }, options), ids: [] },
    { app: await start(t, { name: 'PostgreSQL' }, options), ids: [] },
  ]
  /** The answer of both, which is one. */
  async function send({ method, path, ...request }: Step): Promise<string> {
    clock.now += 1000
    const seen = await Promise.all(
      sides.map(async ({ app, ids }) => {
        const idOf = (_: string, n: string) => ids[Number(n) % ids.length] ?? 'nobody'
        const response = await app.call(method, path.replace(/\{(\d+)\}/, idOf), request)
        if (response.status === 201) ids.push(response.body.user_id)
        return comparable(response, ids)
      }),
    )
    assert.equal(seen[1], seen[0])
    return seen[0] as string
  }
  /** Reads every page of a list. Returns the number of pages. */
  async function sendPages(path: string): Promise<number> {
    const places = await Promise.all(
      sides.map(async ({ app, ids }) => {
        const pages: string[] = []
        for (let next: string | undefined = path; next !== undefined; ) {
          const response: Answer = await app.call('GET', next)
          assert.equal(response.status, 200, response.text)
          pages.push(comparable(response, ids))
          next = /^<\/auth([^>]+)>/.exec(response.headers.link ?? '')?.[1]
        }
        return pages
      }),
    )
    assert.deepEqual(places[1], places[0])
    return places[0]?.length ?? 0
  }
  const reset = async () => {
    for (const side of sides) {
      await side.app.runSql('DELETE FROM users; DELETE FROM idempotency_keys')
      side.ids = []
    }
    // Rows that were indexed in a quiet moment would still be counted.
    await sides[0]?.app.runSql(
      "DELETE FROM search_pending; DELETE FROM search_texts; INSERT INTO users_search (users_search) VALUES ('delete-all')",
    )
  }
  return { send, sendPages, reset }
}

/** The parts of a response that do not depend on chance. */
function comparable({ status, headers, text }: Answer, ids: readonly string[]): string {
  const { date: _, 'x-request-id': __, etag, link, ...others } = headers
  // Other ids are those that a dry run made up.
  const named = (one: string) =>
    ids
      .reduce((rest, id, n) => rest.replaceAll(id, `<user ${n}>`), one)
      .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '')
  const cursor = /cursor=([\w-]+)/.exec(link ?? '')?.[1]
  return named(
    JSON.stringify({
      status,
      ...others,
      // That of a list begins with what the store counts, each in its way.
      etag: etag?.replace(/^W\/".*\./, ''),
      link: link?.replace(/cursor=[\w-]+/, ''),
      cursor: cursor && Buffer.from(cursor, 'base64url').toString(),
      text: text.replace(/"instance":"[^"]*"/, ''),
    }),
  )
}

/** Texts that two databases, two collations or two encodings could take for the same, or not. */
const samples = [
  ...['ada', 'Ada', 'ADA', 'aDa', 'ada ', ' ada', 'a da', 'a-da', 'a_da', "a'da", 'a.da', 'adá', 'ada\u0301', 'Ａｄａ'],
  ...['Z', 'z', 'ä', 'Ä', 'a\u0308', 'å', 'Å', 'Å', 'ß', 'ẞ', 'ss', 'SS', 'ﬃ', 'ǆ', 'ı', 'I', 'i', 'İ', 'ſ', 'K'],
  ...[
    'Σοφός',
    'ΣΟΦΌΣ',
    'σοφόσ',
    'ёлка',
    'елка',
    'Ёлка',
    'עברית',
    'שָׁלוֹם',
    'عربي',
    'ﷺ',
    'हिन्दी',
    'ไทย',
    '한국어',
    '한국어',
  ],
  ...[
    '李',
    '𠮷野',
    '𠮷',
    '野',
    'ｶﾅ',
    'カナ',
    'かな',
    '\u{1f600}',
    '👩‍👩‍👧',
    '🇩🇪',
    '\u{10ffff}',
    '\ufffd',
    '\ue000',
    '\uffff',
  ],
  ...[
    '%',
    '_',
    '\\',
    '\\x41',
    "E'\\101'",
    '$1',
    '?',
    '0',
    '00',
    '1',
    '10',
    '9',
    '-1',
    '1e3',
    'null',
    'NULL',
    'true',
    '',
  ],
  ...[
    'a\0b',
    '\0',
    '\t',
    '\n',
    '\u0085',
    '\u00a0',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u202e',
    '\u2028',
    '\ud800',
    '\udc00',
  ],
  ...['x'.repeat(128), 'ä'.repeat(129), '𠮷'.repeat(255), '\u{1f600}'.repeat(256), '字'.repeat(257)],
]
const isUsername = (one: string): boolean => {
  try {
    return usernameKey(one) !== ''
  } catch {
    return false
  }
}
const hostile = fc.oneof(
  fc.constantFrom(...samples),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
/** Most of them such as are accepted, or nothing would ever meet. */
const mostly = (accepted: readonly string[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...accepted) }, { weight: 1, arbitrary: hostile })
const text = mostly(samples.filter((one) => !/[\p{Cc}\p{Cs}]/u.test(one)))
const name = mostly(samples.filter((one) => [...one].length <= 128 && isUsername(one)))
const address = fc.tuple(name, fc.constantFrom('x.org', 'X.org', 'é.org', 'ß.de')).map((parts) => parts.join('@'))
const members = {
  username: fc.oneof({ weight: 4, arbitrary: name }, { weight: 1, arbitrary: address }),
  email: address,
  external_id: text,
  first_name: text,
  last_name: text,
  role: fc.constantFrom('user', 'user', 'user', 'admin', 'admin', 'support', 'support', '𠮷\0'),
}
const creation = fc.record(members, { requiredKeys: ['username'], noNullPrototype: true })
const changes = fc.record(
  { ...members, email: fc.option(members.email), external_id: fc.option(members.external_id), active: fc.boolean() },
  { requiredKeys: [], noNullPrototype: true },
)

const header = (name: string, value: string | undefined) => (value === undefined ? {} : { headers: { [name]: value } })
const position = fc.nat({ max: 30 })
const dryRun = fc.constantFrom('', '', '', '?dry_run=true')
const posts = fc
  .tuple(creation, dryRun, fc.constantFrom(undefined, undefined, 'a', 'b'))
  .map(
    ([body, query, key]): Step => ({ method: 'POST', path: `/users${query}`, body, ...header('idempotency-key', key) }),
  )
const patches = fc.tuple(position, changes, dryRun, fc.constantFrom(undefined, undefined, '"1"', '*')).map(
  ([n, body, query, tag]): Step => ({
    method: 'PATCH',
    path: `/users/{${n}}${query}`,
    body,
    ...header('if-match', tag),
  }),
)
const others = fc
  .tuple(position, fc.constantFrom('DELETE', 'GET', 'HEAD'))
  .map(([n, method]): Step => ({ method, path: `/users/{${n}}` }))
const filter = fc.tuple(fc.constantFrom('q', 'username', 'email', 'external_id', 'role'), fc.oneof(text, address))
const filters = fc.array(filter, { maxLength: 2 }).map((pairs) => {
  const query = new URLSearchParams()
  for (const [name, value] of pairs) query.set(name, value)
  return query
})
const sort = fc.constantFrom('', 'username', '-username', 'email', '-email', 'created_at', '-created_at')
const format = fc.constantFrom('application/json', 'application/x-ndjson', 'text/csv')
const lists = fc.tuple(filters, sort, format, fc.constantFrom('', '3')).map(([filters, sort, accept, limit]): Step => {
  const query = new URLSearchParams(filters)
  if (sort !== '') query.set('sort', sort)
  if (limit !== '') query.set('limit', limit)
  return { method: 'GET', path: `/users?count=true&${query}`, headers: { accept } }
})
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: posts },
    { weight: 4, arbitrary: patches },
    { weight: 2, arbitrary: others },
    { weight: 2, arbitrary: lists },
  ),
  { minLength: 20, maxLength: 60, size: 'max' },
)

describe('SQLite and PostgreSQL', { skip }, () => {
  it('respond the same to any requests in any order', async (t) => {
    const { send, sendPages, reset } = await bothEngines(t)
    const property = fc.asyncProperty(steps, async (list) => {
      await reset()
      for (const step of list) await send(step)
      for (const sort of ['username', '-username', 'email', '-email']) await sendPages(`/users?sort=${sort}&limit=4`)
    })
    await fc.assert(property, { numRuns: cases(15), seed: 1815 })
  })

  it('order every text by its UTF-8 bytes, and agree on which texts are equal', async (t) => {
    const { send, sendPages } = await bothEngines(t)
    const created = { usernames: 0, emails: 0 }
    for (const [i, sample] of samples.entries()) {
      const post = (body: object): Promise<string> => send({ method: 'POST', path: '/users', body })
      if ((await post({ username: sample, first_name: `n${i}` })).includes('"status":201')) created.usernames++
      const email = `${sample}@example.org`
      if ((await post({ username: `user-${i}`, email, external_id: sample })).includes('"status":201')) created.emails++
    }
    assert.ok(created.usernames > 40 && created.emails > 40, JSON.stringify(created))
    for (const sort of ['username', '-username', 'email', '-email']) {
      assert.ok((await sendPages(`/users?sort=${sort}&limit=7&count=true`)) > 10)
      await send({ method: 'GET', path: `/users?sort=${sort}`, headers: { accept: 'text/csv' } })
    }
    for (const sample of samples) {
      for (const name of ['q', 'username', 'email', 'external_id', 'role']) {
        const query = new URLSearchParams({ [name]: name === 'email' ? `${sample}@EXAMPLE.org` : sample })
        await send({ method: 'GET', path: `/users?${query}&sort=-email&limit=50&count=true` })
      }
    }
  })
})
