import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idOf } from './find-named.ts'

const [phone, tablet, key] = ['019a9f3e-0000-7000-8000-000000000001', '019a9f3e-0000-7000-8000-000000000002', 'k']

test('a thing is found by its id or by a name that only it has', async () => {
  const rows = async () => [
    { id: phone, names: ['Phone'] },
    { id: tablet, names: ['phone', null] },
    { id: key, names: ['Straße 1', 'key@example.com'] },
  ]
  const find = (text: string) => idOf(text, rows, 'factor', 'factors list ada')
  assert.equal(await find('STRASSE 1').catch(() => 'none'), 'none', 'as the server compares names')
  assert.equal(await find('straße 1'), key)
  assert.equal(await find('key@example.com'), key)
  // An unknown id is for the server to refuse.
  assert.equal(await idOf(phone.toUpperCase(), async () => assert.fail('nothing is read'), 'factor', ''), phone)
  await assert.rejects(find('Phone'), {
    name: 'UsageError',
    message: new RegExp(`2 have the name.*${phone}, ${tablet}`),
  })
  await assert.rejects(find('Tablet'), { message: 'There is no factor Tablet. rollbook factors list ada shows all.' })
})
