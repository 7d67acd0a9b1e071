import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { normalizePassword, passwordFault } from './policy.ts'

const context = { words: ['ada.lovelace', 'ada@analytical-engine.example', 'Rollbook'] }
const codeOf = (password: string): string | undefined => passwordFault(password, context)?.code

describe('password policy', () => {
  it('wants 15 characters, counted after normalization', () => {
    assert.equal(codeOf('kvxjwzmbqghpnd'), 'password_too_short')
    assert.equal(codeOf('kvxjwzmbqghpndr'), undefined)
    assert.equal(codeOf('kvxjwzmbqghpn\u0065\u0301'), 'password_too_short')
    assert.equal(codeOf('🦊🐻🐼🐨🐯🦁🐮'), 'password_too_short')
    assert.equal(codeOf(''), 'password_too_short')
  })

  it('accepts 1,024 bytes and not one more', () => {
    const sentence = 'nine zebras juggle oak hats by quiet fjords; '.repeat(30)
    assert.equal(codeOf(sentence.slice(0, 1024)), undefined)
    assert.equal(codeOf(sentence.slice(0, 1025)), 'password_too_long')
    assert.equal(codeOf(`${sentence.slice(0, 1023)}é`), 'password_too_long')
    assert.equal(codeOf('é'.repeat(60_000)), 'password_too_long')
  })

  const accepted: readonly string[] = [
    'zebra umbrella kitchen',
    'the sky above the port was grey',
    'my horse eats seventeen apples',
    'dragon monkey master',
    'kvxjwzmbqghpndr',
    'Kv8#jW2!zm5$Bqg',
    '839201758392648',
    'ada wrote the first program',
    'the Rollbook opens at dawn',
    'lovelace met babbage in the garden',
    'schöne grüße aus dem süden',
    'всё смешалось в доме облонских',
    '静かな海に月が浮かんでいる夜だ',
    'ดวงจันทร์ส่องแสงเหนือทะเล',
    '🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤🦆',
    ' two spaces at the ends are kept ',
    'tab\tand\nnewline are characters',
  ]
  for (const password of accepted) {
    it(`accepts ${JSON.stringify(password)}`, () => assert.equal(codeOf(password), undefined))
  }

  const common: readonly string[] = [
    'passwordpassword',
    'PasswordPassword1!',
    'password1234567',
    'P@ssw0rdP@ssw0rd',
    'pássword pássword',
    'Welcome to 2025!!',
    'summer2024summer2025',
    'christopher1990',
    'iloveyouprincess',
    'letmein princess 2024',
    '123456789012345',
    '987654321987654',
    'qwertyuiopasdfgh',
    'qwertzuiopasdfgh',
    '1qaz2wsx3edc4rfv',
    'zaq12wsxcde34rfv',
    '!@#$%^&*()_+!@#',
    'aaaaaaaaaaaaaaa',
    'abcabcabcabcabc',
    'abababaabbbaabba',
    'abcdefghijklmnop',
    'zyxwvutsrqponmlk',
    'a1b2c3d4e5f6g7h8',
    'monkey-monkey-monkey',
    'summer!summer?summer.',
    'correct horse battery staple',
    'Correct-Horse-Battery-Staple',
    'correcthorsebatterystaple',
    'To be, or not to be: that is the question',
    'this is my password',
    '               ',
    'пароль12345678901',
    '密码密码密码密码密码密码密码密码',
    '🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊',
  ]
  for (const password of common) {
    it(`refuses ${JSON.stringify(password)} as common`, () => assert.equal(codeOf(password), 'password_too_common'))
  }

  const contextual: readonly string[] = [
    'ada.lovelace1815',
    'AdaLovelace1815!',
    '4d4l0v3l4c3#1815',
    'lovelace8429173305',
    'ada@analytical-engine.example',
    'analytical-engine-2025',
    'rollbookrollbook',
    'rollbook-password-2025',
    'Rollbook: Lovelace!',
  ]
  for (const password of contextual) {
    it(`refuses ${JSON.stringify(password)} for its context`, () => {
      assert.equal(codeOf(password), 'password_contains_context')
    })
  }

  it('knows no context that was not passed to it', () => {
    assert.equal(passwordFault('lovelace8429173305', { words: [] }), undefined)
    assert.equal(passwordFault('lovelace8429173305', { words: ['', 'a', 'bob', '@', '...'] }), undefined)
  })

  it('ignores context parts of fewer than four letters', () => {
    assert.equal(passwordFault('bob839201756394', { words: ['bob', 'bob@x.yz'] }), undefined)
    assert.equal(passwordFault('bobo83920175639', { words: ['bob'] }), undefined)
    assert.equal(passwordFault('bobo83920175639', { words: ['bobo'] })?.code, 'password_contains_context')
  })

  it('refuses values that are not strings', () => {
    assert.equal(codeOf('half a \uD800 character in here'), 'password_malformed')
    assert.equal(codeOf('a zero \0 character in here'), 'password_malformed')
  })

  it('judges equal texts equally, whether composed or not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (password) => {
        assert.equal(codeOf(password.normalize('NFD')), codeOf(password.normalize('NFC')))
        assert.equal(normalizePassword(password.normalize('NFD')), normalizePassword(password))
      }),
    )
  })

  it('accepts random passwords of every kind', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 15, maxLength: 40 })
    const words = fc.array(letters, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '))
    const signs = fc.string({ unit: fc.constantFrom(...'aBcDeFgHjKmNpQrStUvWxYz23456789!#%*+'), minLength: 20 })
    // Without bias and seeded: a biased generator likes to make "aaaaaaaaaaaaaaa", which is rightly refused.
    for (const password of fc.sample(fc.oneof(fc.noBias(words), fc.noBias(signs)), { seed: 2, numRuns: 500 })) {
      assert.equal(codeOf(password), undefined, password)
    }
  })

  it('accepts eight random characters beside a word of the context, wherever and whatever the word is', () => {
    const letters = 'abcdefghijkmnopqrstuvwxyz'
    const signs = fc.constantFrom(...`${letters}${letters.toUpperCase()}0123456789`)
    const random = fc.noBias(fc.string({ unit: signs, minLength: 8, maxLength: 8 }))
    const word = fc.constantFrom('ada', 'lovelace', 'password', 'summer', 'aaaa', 'qwerty', 'admin', 'Rollbook', '1234')
    const number = fc.constantFrom('', '7', '42', '1815', '_', "'")
    const username = fc.tuple(word, number, word).map((parts) => parts.join('.'))
    for (const [name, rest] of fc.sample(fc.tuple(username, random), { seed: 20, numRuns: 2000 })) {
      const words = [name, `${name}@analytical-engine.example`, 'Ada', 'Lovelace', 'Rollbook']
      for (const password of [`Jd9!${name}-${rest}`, `${rest}-${name}!9dJ`]) {
        assert.equal(passwordFault(password, { words }), undefined, password)
      }
    }
  })

  it('refuses a weak rest beside a word of the context, in any order and with anything between them', () => {
    const weak = [
      '1815',
      '2025',
      '12345678',
      '!!!',
      'password',
      'Summer2024',
      'qwertyuiop',
      'P4ssw0rd1',
      '#1',
      'abcabcabc',
    ]
    const pieces = fc.shuffledSubarray(['lovelace', 'Ada.Lovelace', 'L0v3l4c3', 'rollbook', 'ANALYTICAL-ENGINE'], {
      minLength: 1,
    })
    const parts = fc.tuple(
      pieces,
      fc.constantFrom(...weak),
      fc.constantFrom('', '-', '_', ' ', '.'),
      fc.nat({ max: 5 }),
    )
    for (const [names, rest, between, at] of fc.sample(parts, { seed: 20, numRuns: 1000 })) {
      const password = names.toSpliced(at % (names.length + 1), 0, rest).join(between)
      assert.notEqual(codeOf(password), undefined, password)
    }
    // Split around the word it is no stronger than joined.
    for (const password of ['pass-lovelace-word1234', '1234lovelace567890', 'Sum.lovelace.mer2024!']) {
      assert.equal(codeOf(password), 'password_contains_context', password)
    }
  })

  it('gives a reason that repeats nothing of the password', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (password) => {
        const detail = passwordFault(password, context)?.detail ?? ''
        fc.pre(password.length >= 8 && detail !== '')
        assert.ok(!detail.includes(password))
      }),
    )
    for (const password of [...common, ...contextual]) {
      assert.ok(!passwordFault(password, context)?.detail.includes(password), password)
    }
  })
})
