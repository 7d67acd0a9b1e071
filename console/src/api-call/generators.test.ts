import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import type { ApiCall } from '../api/call.ts'
import { cliOf } from './cli.ts'
import { curlOf } from './curl.ts'
import { literal } from './literal.ts'
import { pythonLiteral, pythonOf } from './python.ts'
import { addressOf } from './request.ts'
import { sdkOf, sdkOpening } from './sdk.ts'
import { shellWord } from './shell.ts'

const place = { apiUrl: 'https://orchard.example.com/auth', idempotencyKey: '0123456789abcdef' }
const hostile = [
  "it's",
  '"',
  '\\',
  '$(reboot)',
  '`reboot`',
  '!!',
  '-rf',
  '~',
  '',
  ' ',
  'a\nb',
  '*',
  '#',
  '{a,b}',
  'ü 漢 \u202e',
  '$HOME',
]

describe('shellWord', () => {
  it('is read back unchanged by /bin/sh, whatever it contains', () => {
    for (const text of hostile) {
      assert.equal(execFileSync('/bin/sh', ['-c', `printf '%s' ${shellWord(text)}`], { encoding: 'utf8' }), text)
    }
  })

  it('adds no quotes if none are needed', () => {
    assert.equal(shellWord('ada.lovelace@example.com'), 'ada.lovelace@example.com')
    assert.equal(shellWord("o'neil"), "'o'\\''neil'")
  })
})

describe('a literal', () => {
  it('is read back unchanged by JavaScript', () => {
    const values = [
      ...hostile,
      null,
      true,
      1.5,
      [],
      {},
      ['a', { b: ["'"] }],
      { ['__proto__']: 1, 'not-a-name': hostile },
    ]
    for (const value of values) assert.deepEqual(new Function(`return (${literal(value)})`)(), value)
  })

  it('is broken into lines if it is long', () => {
    assert.equal(literal({ username: 'ada' }), "{ username: 'ada' }")
    assert.match(
      literal({ first_name: 'x'.repeat(50), last_name: 'y' }),
      /^\{\n {2}first_name: 'x+',\n {2}last_name: 'y',\n\}$/,
    )
  })
})

describe('the address of a call', () => {
  it('encodes values, repeats lists and leaves out undefined members', () => {
    const call: ApiCall = {
      operation: 'GET /users/{user_id}/audit',
      path: { user_id: '../a?b' },
      query: { action: ['user.*', 'key.created'], actor: undefined, limit: 20 },
    }
    assert.equal(
      addressOf(call, place.apiUrl),
      'https://orchard.example.com/auth/users/..%2Fa%3Fb/audit?action=user.*&action=key.created&limit=20',
    )
  })
})

describe('curl', () => {
  it('puts the key in a variable, and quotes the body', () => {
    const line = curlOf({ operation: 'POST /users', body: { username: "o'neil" } }, place)
    assert.equal(
      line,
      [
        'curl -sS -X POST https://orchard.example.com/auth/users',
        '-H "X-API-Key: $ROLLBOOK_API_KEY"',
        "-H 'Idempotency-Key: 0123456789abcdef'",
        "-H 'Content-Type: application/json'",
        `-d '{"username":"o'\\''neil"}'`,
      ].join(' \\\n  '),
    )
  })

  it('sends If-Match, a file as the body, and Accept', () => {
    const change = curlOf(
      { operation: 'PATCH /users/{user_id}', path: { user_id: 'a' }, body: { active: false }, ifMatch: '"3"' },
      place,
    )
    assert.match(change, /-H 'If-Match: "3"'/)
    assert.doesNotMatch(change, /Idempotency-Key/)
    const file = { name: 'all users.csv', contentType: 'text/csv' }
    const upload = curlOf({ operation: 'POST /users/import', query: { mode: 'update' }, file }, place)
    assert.match(upload, /-H 'Content-Type: text\/csv' \\\n {2}--data-binary '@all users.csv'/)
    const rows = curlOf({ operation: 'GET /users', accept: 'application/x-ndjson' }, place)
    assert.match(rows, /-H 'Accept: application\/x-ndjson'/)
  })

  it('sends no key to public operations, and a token to those for users', () => {
    assert.equal(
      curlOf({ operation: 'GET /health/live' }, place),
      'curl -sS https://orchard.example.com/auth/health/live',
    )
    assert.match(curlOf({ operation: 'GET /me' }, place), /Authorization: Bearer \$ROLLBOOK_TOKEN/)
  })
})

describe('the SDK', () => {
  it('reads a page if one is asked for, and otherwise row by row', () => {
    assert.equal(
      sdkOf({ operation: 'GET /users', query: { role: 'admin', limit: 100 } }),
      "console.log(await client.users.page({ role: 'admin', limit: 100 }))",
    )
    assert.equal(
      sdkOf({ operation: 'GET /users', query: { role: 'admin' } }),
      "for await (const row of client.users.list({ role: 'admin' })) console.log(row)",
    )
  })

  it('leaves out empty arguments, and puts options last', () => {
    assert.equal(sdkOf({ operation: 'GET /keys' }), 'console.log(await client.keys.list())')
    assert.equal(
      sdkOf({ operation: 'POST /signing-keys/rotate', query: { dry_run: true } }),
      'console.log(await client.signingKeys.rotate({}, { dryRun: true }))',
    )
    assert.equal(
      sdkOf({ operation: 'DELETE /users/{user_id}', path: { user_id: 'a' }, query: { purge: true }, ifMatch: '"3"' }),
      `console.log(await client.users.delete('a', { purge: true, ifMatch: '"3"' }))`,
    )
  })

  it('starts with the address and the variable of the other forms', () => {
    assert.match(sdkOpening(place.apiUrl, { isUser: false }), /url: 'https:.*\n.*ROLLBOOK_API_KEY/)
    assert.match(sdkOpening(place.apiUrl, { isUser: true }), /ROLLBOOK_TOKEN/)
  })
})

describe('Python', () => {
  const python = spawnSync('python3', ['--version']).error === undefined
  const skip = python ? false : 'python3 is not installed'

  it('reads a literal back unchanged, whatever it contains', { skip }, () => {
    const values = [...hostile, null, true, 1.5, [], {}, ['a', { b: ["'"] }], { 'not-a-name': hostile }]
    const script = `import json\nprint(json.dumps(${pythonLiteral(values)}))`
    assert.deepEqual(JSON.parse(execFileSync('python3', ['-c', script], { encoding: 'utf8' })), values)
  })

  it('sends the parameters as texts, a body as JSON and a file as it is', () => {
    assert.equal(
      pythonOf({ operation: 'POST /users', query: { dry_run: true }, body: { username: 'ada' } }, place),
      [
        'import os',
        '',
        'import requests',
        '',
        'response = requests.post(',
        '    "https://orchard.example.com/auth/users",',
        '    params={"dry_run": "true"},',
        '    headers={',
        '        "X-API-Key": os.environ["ROLLBOOK_API_KEY"],',
        '        "Idempotency-Key": "0123456789abcdef",',
        '    },',
        '    json={"username": "ada"},',
        '    timeout=30,',
        ')',
        'response.raise_for_status()',
        'print(response.json())',
      ].join('\n'),
    )
    const file = { name: 'users.csv', contentType: 'text/csv' }
    const upload = pythonOf({ operation: 'POST /users/import', file }, place)
    assert.match(upload, /data=open\("users.csv", "rb"\),/)
    assert.match(upload, /"Content-Type": "text\/csv",/)
    assert.match(pythonOf({ operation: 'GET /users', accept: 'application/x-ndjson' }, place), /iter_lines/)
    assert.match(pythonOf({ operation: 'GET /metrics' }, place), /print\(response.text\)/)
  })
})

describe('the command line', () => {
  const cases: [what: string, ApiCall, string][] = [
    [
      'a user',
      { operation: 'POST /users', body: { username: 'ada', email: 'a@example.com', password: '…' } },
      'rollbook users create --email a@example.com --ask-password ada',
    ],
    [
      'a service account',
      { operation: 'POST /users', body: { username: 'billing', kind: 'service' } },
      'rollbook users create --kind service billing',
    ],
    [
      'a key of it without permissions',
      { operation: 'POST /users/{user_id}/keys', path: { user_id: 'a' }, body: { name: 'x', permissions: [] } },
      'rollbook keys create --user a x',
    ],
    [
      'a key of it with permissions',
      { operation: 'POST /users/{user_id}/keys', path: { user_id: 'a' }, body: { name: 'x', permissions: ['*'] } },
      "rollbook keys create --user a --permissions '*' x",
    ],
    [
      'names like options',
      { operation: 'POST /users', body: { username: '-rf', last_name: '--x' } },
      'rollbook users create --last-name=--x -- -rf',
    ],
    [
      'what is cleared',
      { operation: 'PATCH /users/{user_id}', path: { user_id: 'a' }, body: { email: null, active: false } },
      'rollbook users update --clear-email --disable a',
    ],
    [
      'a view',
      { operation: 'GET /users', query: { q: "o'n", active: true, limit: 50, count: 'estimate' } },
      "rollbook users list --search 'o'\\''n' --active --limit 50",
    ],
    [
      'a view as a file',
      { operation: 'GET /users', query: { role: 'admin' }, accept: 'text/csv' },
      'rollbook users list --role admin --output csv',
    ],
    [
      'a change of many',
      {
        operation: 'POST /users/bulk',
        query: { dry_run: true, rows: 'refused' },
        body: {
          action: 'set_role',
          role: 'support',
          filter: { has_password: false, has_signed_in: false, q: 'x' },
          except: ['a', 'b'],
        },
      },
      'rollbook users bulk --to support --without-password --never-signed-in --search x --except a --except b --rows refused --dry-run set-role',
    ],
    [
      'a change of all users',
      { operation: 'POST /users/bulk', body: { action: 'end_sessions', filter: {} } },
      'rollbook users bulk --all end-sessions',
    ],
    [
      'values for many',
      {
        operation: 'POST /users/bulk',
        body: {
          action: 'set_attribute',
          attributes: { team: 'A b', seats: null, tags: ['x', 'y;z'] },
          user_ids: ['a'],
        },
      },
      `rollbook users bulk --set 'team=A b' --unset seats --set 'tags=["x","y;z"]' set-attribute a`,
    ],
    [
      'a language for many',
      { operation: 'POST /users/bulk', body: { action: 'set_locale', locale: null, user_ids: ['a'] } },
      'rollbook users bulk --to none set-locale a',
    ],
    [
      'no end date for many',
      { operation: 'POST /users/bulk', body: { action: 'set_expires_at', expires_at: null, user_ids: ['a'] } },
      'rollbook users bulk --to none set-end-date a',
    ],
    [
      'an end date for many',
      { operation: 'POST /users/bulk', body: { action: 'set_expires_at', expires_at: '2026-12-31', user_ids: ['a'] } },
      'rollbook users bulk --to 2026-12-31 set-end-date a',
    ],
    [
      'a change of all members',
      {
        operation: 'POST /users/bulk',
        body: { action: 'add_to_group', group_id: 'g', filter: { role: 'support' } },
      },
      'rollbook users bulk --group g --role support add-to-group',
    ],
    [
      'a change of some',
      { operation: 'POST /users/bulk', body: { action: 'delete', user_ids: ['a', 'b'] } },
      'rollbook users bulk delete a b',
    ],
    [
      'exactly one',
      { operation: 'GET /users', query: { email: 'a@example.com' } },
      'rollbook users get --by email a@example.com',
    ],
    [
      'a filter without an option',
      { operation: 'GET /users', query: { user_id: ['a', 'b'], limit: 2 }, accept: 'text/csv' },
      "rollbook api GET /users --query 'user_id=a' --query 'user_id=b' --query 'limit=2' --accept text/csv",
    ],
    ['an operation without a command', { operation: 'GET /imports' }, 'rollbook api GET /imports'],
    [
      'an operation for users',
      { operation: 'PATCH /me', body: { first_name: "o'n" } },
      `ROLLBOOK_API_KEY=$ROLLBOOK_TOKEN rollbook api PATCH /me --data '{"first_name":"o'\\''n"}'`,
    ],
    [
      'every event',
      { operation: 'POST /webhooks', body: { url: 'https://a.example/', event_types: null } },
      'rollbook webhooks create https://a.example/',
    ],
    [
      'every event from now on',
      { operation: 'PATCH /webhooks/{endpoint_id}', path: { endpoint_id: 'e' }, body: { event_types: null } },
      'rollbook webhooks update --all-events e',
    ],
    [
      'a dry run',
      { operation: 'DELETE /keys/{key_id}', path: { key_id: 'k' }, query: { dry_run: true } },
      'rollbook keys revoke --dry-run k',
    ],
    [
      'a file of another name',
      {
        operation: 'POST /users/import',
        query: { mode: 'update', job_id: 'j' },
        file: { name: 'all', contentType: 'text/csv' },
      },
      'rollbook users import --format csv --update --resume j all',
    ],
    [
      'a new group',
      { operation: 'POST /groups', body: { name: 'Support', role: 'user', external_id: null } },
      'rollbook groups create --role user Support',
    ],
    [
      'a change of a group',
      { operation: 'PATCH /groups/{group_id}', path: { group_id: 'g' }, body: { name: 'Care', role: null } },
      'rollbook groups update --name Care --clear-role g',
    ],
    [
      'removed members',
      { operation: 'POST /groups/{group_id}/members', path: { group_id: 'g' }, body: { add: [], remove: ['a', 'b'] } },
      'rollbook groups remove g a b',
    ],
    [
      'members added until a day',
      {
        operation: 'POST /groups/{group_id}/members',
        path: { group_id: 'g' },
        body: { add: ['a', 'b'], expires_at: '2026-12-31' },
      },
      'rollbook groups add --expires 2026-12-31 g a b',
    ],
    [
      'members added and removed',
      { operation: 'POST /groups/{group_id}/members', path: { group_id: 'g' }, body: { add: ['a'], remove: ['b'] } },
      `rollbook api POST /groups/g/members --data '{"add":["a"],"remove":["b"]}'`,
    ],
    [
      'the users of a group',
      { operation: 'GET /users', query: { group: 'g', active: false, limit: 50, count: true } },
      'rollbook groups members --disabled g',
    ],
    [
      'the users of a group in an order',
      { operation: 'GET /users', query: { group: 'g', sort: 'email' } },
      "rollbook api GET /users --query 'group=g' --query 'sort=email'",
    ],
    [
      'the groups of a user',
      { operation: 'GET /users/{user_id}/groups', path: { user_id: 'u' } },
      'rollbook groups list --user u',
    ],
    [
      'records',
      {
        operation: 'GET /audit',
        query: { action: ['user.*', 'key.*'], sort: '-seq', occurred_after: '2026-01-01T00:00:00Z' },
      },
      "rollbook audit list --action 'user.*,key.*' --since 2026-01-01T00:00:00Z",
    ],
  ]
  for (const [what, call, line] of cases) {
    it(`says ${what} as ${line}`, () => assert.equal(cliOf(call).replaceAll(' \\\n  ', ' '), line))
  }
})
