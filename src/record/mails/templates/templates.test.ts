import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { plainBrand } from '../../../core/brand.ts'
import { ConfigError } from '../../../core/config.ts'
import { messageOf } from '../sending/message.ts'
import { loadTemplates } from './templates.ts'

function directoryWith(t: TestContext, files: Record<string, string | Uint8Array>): string {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  t.after(() => rmSync(directory, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return directory
}

function faultsOf(directory: string | undefined, locale = 'en'): string {
  try {
    loadTemplates(directory, locale)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.message
  }
  throw new Error('The templates have no fault.')
}

it('a template of the operator replaces the one of its name and language, and no other', (t) => {
  const directory = directoryWith(t, {
    'test.de.txt': 'Subject: Probe von {{product}}\n\nEs klappt.',
    // As written for releases in which notices had no button.
    'key_created.en.txt': 'Subject: A key\n\nHello {{name}}.',
  })
  const templates = loadTemplates(directory, 'en')
  assert.equal(templates.find('key_created', 'en').template.summary, undefined)
  assert.equal(templates.find('test', 'de').template.subject, 'Probe von {{product}}')
  assert.notEqual(templates.find('test', 'en').template.subject, 'Probe von {{product}}')
})

it('every template with a fault is named, with what is wrong', (t) => {
  const directory = directoryWith(t, {
    'bogus.txt': 'x',
    'invitation.de.txt': 'hello',
    'password_changed.en.txt': 'Subject: x\n\nHello {{nam}}',
    'new_sign_in.en.txt': 'Subject: x\n\n[Open]({{link}})',
    'key_created.en.txt': 'Subject: x\n\nSee {{account}}',
    'notices.en.txt': 'Subject: x\n\nThis happened: {{notices}}',
    'test.de.txt': Buffer.from('Subject: Gr\xfc\xdfe\n\nEs klappt.', 'latin1'),
  })
  mkdirSync(join(directory, 'test.en.txt'))
  const faults = faultsOf(directory)
  assert.match(faults, /bogus\.txt: the name is not/)
  assert.match(faults, /invitation\.de\.txt does not begin with a line/)
  assert.match(faults, /password_changed\.en\.txt uses \{\{nam\}\}; it can use/)
  assert.match(faults, /new_sign_in\.en\.txt uses \{\{link\}\}; it can use/)
  assert.match(faults, /new_sign_in\.en\.txt can have one line "\[label\]\(\{\{account\}\}\)"/)
  assert.match(faults, /key_created\.en\.txt uses \{\{account\}\} outside of its button/)
  assert.match(faults, /notices\.en\.txt needs exactly one line "\{\{notices\}\}"/)
  assert.match(faults, /test\.de\.txt is not in UTF-8/)
  assert.match(faults, /test\.en\.txt cannot be read \(EISDIR\)/)
})

it('a directory that does not exist is named by its setting', (t) => {
  const missing = join(directoryWith(t, {}), 'missing')
  assert.match(faultsOf(missing), /ROLLBOOK_MAIL_TEMPLATES names a directory that cannot be read \(ENOENT\)/)
})

it('a language without templates is refused as the default one, and a region needs none of its own', (t) => {
  assert.match(
    faultsOf(undefined, 'fr'),
    /ROLLBOOK_MAIL_LOCALE is a language without templates; there are templates in en, de, ar/,
  )
  const own = directoryWith(t, { 'test.fr.txt': 'Subject: Essai\n\nBonjour.' })
  assert.equal(loadTemplates(own, 'fr').find('test', null).template.subject, 'Essai')
  const regional = loadTemplates(own, 'fr-CA')
  assert.equal(regional.find('test', 'zh-Hant-TW').locale, 'fr')
  assert.equal(regional.find('invitation', null).locale, 'en')
  assert.match(faultsOf(own, 'frr'), /ROLLBOOK_MAIL_LOCALE/)
})

it('a message of several notices states each in the language of the user, with its own time', () => {
  const config = { publicUrl: 'https://orchard.example/auth', mailTimeZone: 'Europe/Berlin' }
  const brand = plainBrand('Orchard')
  const time = '2026-11-24T12:00:00.000Z'
  const notices = [
    { kind: 'key_created', data: { key: '<backup>', time }, count: 1 },
    { kind: 'factor_added', data: { factor: 'phone', time }, count: 3 },
  ]
  const row = {
    kind: 'notices' as const,
    locale: 'de',
    data: JSON.stringify({ name: 'Ada', notices }),
    expires_at: null,
  }
  const { text, html } = messageOf(row, undefined, { templates: loadTemplates(undefined, 'en'), config, brand })
  assert.match(text, /^- API-Schlüssel „<backup>“ erstellt am 24\. November 2026 um 13:00 MEZ\.$/m)
  assert.match(text, /^- Zweiter Faktor „phone“ hinzugefügt am .* MEZ\. \(× 3\)$/m)
  assert.match(html, /<bdi>&lt;backup&gt;<\/bdi>/)
  assert.match(html, />Mehrere Änderungen an Ihrem Konto/)
})
