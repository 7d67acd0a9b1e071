import assert from 'node:assert/strict'
import { it } from 'node:test'
import { framedMessage, framedPage } from './framed.ts'

it('moves styles into one sheet with the nonce, and forbids everything else', () => {
  const html =
    '<html><head><style>p{color:red}</style></head><body style="margin:0"><p class="small" style="margin:0">a</p></body></html>'
  const framed = framedMessage(html, 'abc')
  assert.match(
    framed,
    /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-abc'; img-src data:">/,
  )
  assert.match(
    framed,
    /<style nonce="abc">\[data-style="0"\]\{margin:0\}<\/style><style nonce="abc">p\{color:red\}<\/style>/,
  )
  assert.match(framed, /<body data-style="0"><p class="small" data-style="0">a<\/p>/)
  assert.doesNotMatch(framed, / style="/)
})

it('keeps quoted values as they are', () => {
  assert.match(
    framedMessage('<head></head><td style="font-family:\'Segoe UI\',Arial">x</td>', 'n'),
    /\[data-style="0"\]\{font-family:'Segoe UI',Arial\}/,
  )
})

it('shows a page without its scripts, and without taking the focus', () => {
  const framed = framedPage(
    '<html><head><title>Sign in</title><script defer src="login.js" data-show="Show"></script><style>:root{--accent:#123456}</style></head><body><input autofocus></body></html>',
    'abc',
  )
  assert.match(framed, /<style nonce="abc">:root\{--accent:#123456\}<\/style>/)
  assert.match(framed, /default-src 'none'; style-src 'self' 'nonce-abc'; img-src 'self' data:; font-src 'self'/)
  assert.doesNotMatch(framed, /script|autofocus/)
})
