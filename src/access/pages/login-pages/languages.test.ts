import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { everyPage, frameIn, instant, now } from '../../../../test/login-pages.ts'
import { directionOf } from '../../../lib/language-tags.ts'
import { languageNames, languages, textsIn } from '../page-texts/texts.ts'
import * as links from './views/link-pages.ts'
import type { Page } from './views/pages.ts'

/** Texts that are the same in every language: names, values, and each language by its own name. */
const proper = [
  ...[
    'ada',
    'grace',
    'Ada Lovelace',
    'ada@example.com',
    'Analytical Ltd',
    'Orchard',
    '0199-request',
    'AAAA-BBBB',
    '(ada)',
    '(ada).',
    ', ada@example.com',
    'Ada',
    'Lovelace',
    'Kitchen',
    'by the window',
    'My phone',
    'laptop',
    '192.0.2.7',
    'reports:read',
    'rb_key',
    'Support',
    'ABCD EFGH',
  ],
  ...['rollbook admin link', 'email_unverified', 'sub', '"ada"', 'user', 'department', '1', 'role'],
  ...['team', 'Red', 'Blue', 'agreed', 'skills', 'since', 'born', 'I joined the team.'],
  ...['laptop', '192.0.2.7', '2001:db8::7', 'users:read', 'users:write', 'audit:read'],
  ...Object.values(languageNames),
]

/** What users read or hear, apart from what is marked as English. */
function wordsIn({ html }: Page): Set<string> {
  const marked = html.replaceAll(/<span [^>]*lang="en" dir="ltr">[^<]*<\/span>/g, '')
  const attributes = [
    ...marked.matchAll(/(?:aria-label|alt|title|placeholder|data-(?:show|hide|copied|selected)[a-z-]*)="([^"]*)"/g),
  ]
  const texts = marked.replaceAll(/<\/?bdi>/g, '').split(/<[^>]*>/)
  return new Set(
    [...texts, ...attributes.map(([, text = '']) => text)]
      .map((text) => text.trim())
      .filter((text) => /\p{L}|\d/u.test(text)),
  )
}

describe('the texts of the pages', () => {
  for (const language of languages.filter((one) => one !== 'en')) {
    it(`leave no English on any page in ${language}, and say which language it is`, async () => {
      const english = everyPage(frameIn(await textsIn('en')))
      const created = everyPage(frameIn(await textsIn(language)))
      assert.deepEqual(Object.keys(created), Object.keys(english))
      const names = new Set(proper.map((name) => name.replaceAll('"', '&quot;')))
      for (const [name, page] of Object.entries(created)) {
        const before = wordsIn(english[name] as Page)
        const left = [...wordsIn(page)].filter((text) => before.has(text) && !names.has(text))
        assert.deepEqual(left, [], name)
        assert.match(page.html, new RegExp(`<html lang="${language}" dir="${directionOf(language)}">`))
        assert.equal(page.language, language)
        assert.doesNotMatch(page.html, /undefined|\[object|\{(?!field\}|\})/)
      }
    })

    it(`differ from the English ones in ${language}, each of them`, async () => {
      const [english, own] = [leaves(await textsIn('en')), leaves(await textsIn(language))]
      const plain = (text = '') => text.replaceAll(/<\/?bdi>/g, '')
      const same = [...own].filter(([path, text]) => plain(english.get(path)) === plain(text)).map(([path]) => path)
      // Values as they are, and a word that German has as well.
      assert.deepEqual(same, ['page.value', 'page.nameOf', ...(language === 'de' ? ['setup.domains.label'] : [])])
    })
  }

  it('isolate values on a page that is written from right to left', async () => {
    const { html } = links.confirmAddressPage(frameIn(await textsIn('ar')), 'ada@example.com')
    assert.match(html, /<strong><bdi>ada@example\.com<\/bdi><\/strong>/)
    const english = links.confirmAddressPage(frameIn(await textsIn('en')), '\u0639\u0645\u0631@example.com').html
    assert.match(english, /<strong><bdi>\u0639\u0645\u0631@example\.com<\/bdi><\/strong>/)
  })

  it('escape values in sentences and titles', async () => {
    for (const language of languages) {
      const frame = { ...frameIn(await textsIn(language)), productName: '<b>&"' }
      const { html } = links.choosePasswordPage(frame, {
        purpose: 'invitation',
        username: '<i>',
        methods: [],
        faults: {},
        mayUsePasskey: false,
      })
      assert.doesNotMatch(html, /<b>|<i>/)
      assert.match(html, /<title>[^<]*&lt;b&gt;&amp;&quot;[^<]*<\/title>/)
    }
  })
})

/** Every text by its path; functions get values that tell them apart. */
function leaves(texts: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, text]): [string, string][] => {
      const at = path === '' ? name : `${path}.${name}`
      if (typeof text === 'string') return [[at, text]]
      if (typeof text === 'function') return [[at, String(text(...sample(at)).text ?? text(...sample(at)))]]
      return typeof text.text === 'string' ? [[at, text.text]] : [...leaves(text, at)]
    }),
  )
}

function sample(path: string): unknown[] {
  if (path === 'page.nameOf') return [{ name: '', username: 'ada' }]
  if (path === 'acting.as') return [{ administrator: 'grace', username: 'ada', until: instant, now }]
  if (path === 'addFactor.why') return [{ isRequired: true, from: instant, mayUsePasskey: true }]
  if (path === 'account.sessions.device') return ['Firefox on Linux']
  if (/^account\..*\.?(?:day|moment|added|lastUsed|since|lastSeen|until|expires)$/.test(path)) return [instant, now]
  if (/^account\..*\.(?:codesLeft|days|undo)$/.test(path)) return [7]
  if (/\.(?:wait|trust|replaces)$/.test(path)) return [7]
  if (/^setup\.(?:.*\.)?(?:until|tested|lastContact|rejected)$/.test(path)) return [instant, now]
  if (/^setup\..*\.arrived$/.test(path)) return ['ada', instant, now]
  if (/^setup\..*\.working$/.test(path)) return ['ada', 7]
  return path.startsWith('deadLink.newer') || path === 'cliLogin.moment' ? [instant, now] : ['ada']
}
