import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseMailbox, plainMailAddress } from './mail-address.ts'

describe('a mail address', () => {
  it('is plain, with its domain in ASCII', () => {
    const cases: [string, string | undefined][] = [
      ['ada@example.com', 'ada@example.com'],
      ['Ada.Lovelace+x@Example.COM', 'Ada.Lovelace+x@example.com'],
      ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ['root@localhost', 'root@localhost'],
      ['jo@ex.com, e@x.com', undefined],
      ['"jo@ex.com"@x.com', undefined],
      ['jo(x)@x.com', undefined],
      ['jo <e@x.com>', undefined],
      ['.jo@x.com', undefined],
      ['jo..e@x.com', undefined],
      ['jo@x.com\r\nBcc: e@x.com', undefined],
      ['jo@x.com/e', undefined],
      ['jo@x.com#e', undefined],
      ['jo@x..com', undefined],
      ['jo@-x.com', undefined],
      ['jö@x.com', undefined],
      ['@x.com', undefined],
      ['jo@', undefined],
      ['', undefined],
      [`${'a'.repeat(65)}@x.com`, undefined],
      ['jo@[127.0.0.1]', undefined],
    ]
    for (const [text, address] of cases) assert.equal(plainMailAddress(text), address, text)
  })

  it('may have a name as a sender', () => {
    assert.deepEqual(parseMailbox('Orchard <no-reply@orchard.example>'), {
      name: 'Orchard',
      address: 'no-reply@orchard.example',
    })
    assert.deepEqual(parseMailbox('no-reply@orchard.example'), { name: '', address: 'no-reply@orchard.example' })
    for (const text of ['Orchard', '<a@b.c>, <d@e.f>', 'A, B <a@b.c>', 'Orchard <a b@c.d>']) {
      assert.equal(parseMailbox(text), undefined, text)
    }
  })
})
