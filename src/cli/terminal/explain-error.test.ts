import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { it } from 'node:test'
import { freePort } from '../../../test/free-port.ts'
import { RollbookClient } from '../../sdk/client/index.ts'
import { explanationOf } from './explain-error.ts'

it('gives advice if no server listens', async () => {
  const url = `http://127.0.0.1:${await freePort()}/auth`
  const error = await new RollbookClient({ url, apiKey: 'rb_none', retries: 0 }).users
    .get('ada')
    .catch((cause: unknown) => cause)
  const [first, second] = explanationOf(error).split('\n')
  assert.match(first ?? '', new RegExp(`^${url} did not respond: .*ECONNREFUSED`))
  assert.match(second ?? '', /^Nothing listens at this address\. .*--url.*ROLLBOOK_PORT/)
})

it('gives advice about addresses, certificates and refusals', () => {
  const failed = (code: string) => {
    const error = new Error('https://a.example did not respond', { cause: Object.assign(new Error(code), { code }) })
    return Object.assign(error, { name: 'ConnectionError' })
  }
  const refused = (code: string, status: number) =>
    Object.assign(new Error('No.'), { name: 'RollbookError', code, status })
  const rows: [unknown, RegExp][] = [
    [failed('ENOTFOUND'), /Check the address: --url/],
    [failed('ETIMEDOUT'), /Check the address \(--url/],
    [failed('CERT_HAS_EXPIRED'), /Renew it/],
    [failed('ERR_TLS_CERT_ALTNAME_INVALID'), /Use a host name/],
    [failed('DEPTH_ZERO_SELF_SIGNED_CERT'), /NODE_EXTRA_CA_CERTS/],
    [failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /NODE_EXTRA_CA_CERTS/],
    [refused('credential_missing', 401), /rollbook help authentication/],
    [refused('permission_denied', 403), /rollbook whoami/],
    [refused('not_found', 404), /base path.*older/],
    [refused('not_enabled', 404), /Whoever runs the service can change the setting/],
    [refused('username_taken', 409), /Choose another username/],
  ]
  for (const [error, advice] of rows) {
    const [said, next] = explanationOf(error).split('\n')
    assert.match(said ?? '', /^(No\.|https:)/)
    assert.match(next ?? '', advice)
  }
})

it('gives advice about a full disk', (t) => {
  if (!existsSync('/dev/full')) return t.skip('this system has no /dev/full')
  try {
    writeFileSync('/dev/full', 'a backup')
    assert.fail('written to a full disk')
  } catch (error) {
    assert.equal(
      explanationOf(error),
      'The file cannot be written: the disk is full. Free some space, or choose another disk.',
    )
  }
})
