import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPublicSuffix } from './public-suffix.ts'

describe('a public suffix', () => {
  it('is a domain under which anyone can have a name', () => {
    for (const domain of [
      'co.uk',
      'com.au',
      'or.at',
      'ac.jp',
      'me.uk',
      'github.io',
      's3.amazonaws.com',
      'vercel.app',
    ]) {
      assert.ok(isPublicSuffix(domain), domain)
    }
  })

  it('is none of the names below it, nor a short name of one owner', () => {
    for (const domain of ['acme.co.uk', 'ada.github.io', 'acme.com', 'id.me', 'go.com', 't.co', 'bbc.uk', 'a.co.uk']) {
      assert.ok(!isPublicSuffix(domain), domain)
    }
  })
})
