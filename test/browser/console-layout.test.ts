/** The layout of every page with data, at several widths and in each language: nothing is cut, broken or outside. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { connectTo } from '../scim/provider.ts'
import { follow, openConsole, startConsole } from './console-driver.ts'
import { twoFrames } from './until.ts'

const browser = await launchBrowser()
/** Where `c` opens a dialog. */
const withDialog = new Set(['users', 'groups', 'keys', 'provisioning', 'webhooks'])
const widths = [360, 390, 768, 1024, 1440]
const permissions = ['users:read', 'users:write', 'sessions:read', 'audit:read']
const roles = { support: permissions, auditor: permissions, editor: permissions, manager: permissions }

/**
 * Runs in the page. Returns what looks broken: a word on two lines, a label that is cut off, text beyond the window or
 * beyond its card.
 */
const findFaults = `(() => {
  const faults = new Set()
  const name = (element) => element.tagName.toLowerCase() + ' "' + element.textContent.trim().slice(0, 40) + '"'
  const scrolls = (element) => /auto|scroll|hidden/.test(getComputedStyle(element).overflowX)
  const isCard = (element) => {
    const { borderInlineEndWidth, borderInlineEndStyle } = getComputedStyle(element)
    return parseFloat(borderInlineEndWidth) > 0 && borderInlineEndStyle !== 'none'
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement
    if (element.closest('script, style, svg, pre, .visually-hidden, [popover], option') !== null) continue
    if (node.data.trim() === '' || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    range.selectNodeContents(node)
    const box = range.getBoundingClientRect()
    if (box.width === 0 || getComputedStyle(element).clipPath !== 'none') continue
    // For screen readers only.
    if ([...ancestors(element)].some((one) => getComputedStyle(one).clipPath !== 'none')) continue
    // Values such as URLs and IDs have no places to break at.
    const isValue = element.closest('code, [dir=ltr]') !== null
    if (!isValue)
      for (const { 0: word, index } of node.data.matchAll(/\\p{L}[\\p{L}\\p{M}]+/gu)) {
        const [before] = /\\S*$/u.exec(node.data.slice(0, index))
        const [after] = /^\\S*/u.exec(node.data.slice(index + word.length))
        if (/[\\d_@:/.]./u.test(before + word + after)) continue
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 4)))
        if (lines.size > 1) faults.add('broken word "' + word + '" in ' + name(element))
      }
    let isScrolled = false
    for (const one of ancestors(element)) {
      const edge = one.getBoundingClientRect()
      if (one !== document.body && scrolls(one)) {
        const { textOverflow } = getComputedStyle(one)
        const isCut = one.scrollWidth > one.clientWidth + 1
        // Only labels must not be truncated: a value is complete on the page that its row opens.
        if (isCut && one.closest('button, th, label, [role=tab], [role=columnheader], [class*=badge]') !== null)
          faults.add('cut label ' + name(one))
        if (isCut && textOverflow !== 'ellipsis' && innerWidth >= 1024 && one.matches('section, div, main') && !one.matches('[role=grid], [role=grid] *'))
          faults.add('scrolls sideways: ' + one.tagName + '.' + one.className)
        isScrolled = true
        break
      }
      if (isCard(one) && (box.right > edge.right + 1 || box.left < edge.left - 1)) {
        faults.add('leaves its card: ' + name(element) + ' in ' + one.tagName + '.' + one.className)
        break
      }
    }
    if (!isScrolled && (box.right > innerWidth + 1 || box.left < -1)) faults.add('beyond the window: ' + name(element))
  }
  // A table or a list belongs to its card even where its own text does not.
  for (const table of document.querySelectorAll('main table')) {
    const around = [...ancestors(table.parentElement)].find((one) => isCard(one) || one.matches('main'))
    if (![...ancestors(table.parentElement)].some((one) => one !== around && around.contains(one) && scrolls(one)) && !scrolls(around)) {
      const [inner, outer] = [table.getBoundingClientRect(), around.getBoundingClientRect()]
      if (inner.right > outer.right + 1 || inner.left < outer.left - 1) faults.add('table leaves its card')
    }
  }
  // The label of a cell where a row has become a card.
  const canvas = document.createElement('canvas').getContext('2d')
  for (const cell of document.querySelectorAll('td[data-label]')) {
    const { content, font } = getComputedStyle(cell, '::before')
    if (content === 'none' || getComputedStyle(cell).display !== 'grid') continue
    canvas.font = font
    const room = parseFloat(getComputedStyle(cell).gridTemplateColumns)
    for (const word of cell.dataset.label.split(' '))
      if (canvas.measureText(word).width > room) faults.add('broken label "' + word + '"')
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.add('the page scrolls sideways')
  const main = document.querySelector('main')
  if (main !== null && main.scrollWidth > main.clientWidth + 1) faults.add('the content scrolls sideways')
  return [...faults]
  function* ancestors(from) {
    for (let one = from; one !== null && one !== document.documentElement; one = one.parentElement) yield one
  }
})()`

describe('the layout of the console in Chromium', { skip: browser === undefined && 'there is no Chromium' }, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('breaks no word, cuts no label and stays within its cards on every page, at every width, in every language', async (t) => {
    const { app, api } = await startConsole(t, { env: { ROLLBOOK_ROLES: JSON.stringify(roles) } })
    const { user_id } = await createUser(app, {
      username: 'maximiliane.oberhuber',
      first_name: 'Maximiliane Wilhelmine',
      last_name: 'Oberhuber-Schneider',
      email: 'maximiliane.oberhuber-schneider@example.com',
      role: 'support',
    })
    const deleted = await createUser(app, { username: 'konstantin', email: 'konstantin@example.com' })
    await app.call('DELETE', `/users/${deleted.user_id}`)
    const imported = await app.call('POST', '/users/import', {
      body: '{"username":"first.import"}\n{"username":"not valid"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    })
    assert.equal(imported.status, 200, imported.text)
    const hook = await app.call('POST', '/webhooks', {
      body: {
        url: 'https://receiver-with-a-long-name.crm.example.com/hooks/rollbook/production',
        description: 'Customer relations',
        event_types: ['user.*', 'session.*', 'key.created', 'role.deleted'].slice(0, 3),
      },
    })
    assert.equal(hook.status, 201, hook.text)
    await app.call('POST', `/webhooks/${hook.body.endpoint_id}/test`)
    const group = await app.call('POST', '/groups', {
      body: {
        name: 'Kundenbetreuung und Rechnungsprüfung der nördlichen Niederlassungen',
        description: 'Answers customers and checks invoices',
        role: 'support',
        external_id: '00g1emaKYZTWRYYRRTSK',
      },
    })
    assert.equal(group.status, 201, group.text)
    await app.call('PUT', `/groups/${group.body.group_id}/members/${user_id}`)
    const provider = await connectTo(app, { name: 'Okta (Nord)', profile: 'okta' })
    const { id: managed } = await provider.createUser({ userName: 'from.the.directory' })
    await provider.patch(`/Users/${managed}`, { op: 'replace', path: 'favouriteColour', value: 'green' })
    for (const name of ['nightly backup', 'accounting'])
      await app.call('POST', '/keys', { body: { name, permissions: ['users:read', 'audit:read', 'webhooks:read'] } })
    const jobs = await app.call('GET', '/imports')
    const job = jobs.body[0]?.job_id
    assert.equal(typeof job, 'string', jobs.text)

    const routes = [
      'users',
      ...['details', 'groups', 'password', 'security', 'sessions', 'history', 'database'].map(
        (tab) => `users/${user_id}?tab=${tab}`,
      ),
      'groups',
      `groups/${group.body.group_id}`,
      'statistics',
      'imports',
      `imports/${job}`,
      'deleted-users',
      'audit',
      'roles',
      'second-factors',
      'inactivity',
      'keys',
      'provisioning',
      `provisioning/${provider.connection_id}`,
      `users/${managed}?tab=details`,
      'webhooks',
      `webhooks/${hook.body.endpoint_id}`,
      'system',
      'no-such-page',
    ]
    const page = await openConsole(t, browser, { api })
    await page.locator('main h1').waitFor()
    const found: string[] = []
    const measure = async (what: string) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        await twoFrames(page)
        const faults = (await page.evaluate(findFaults)) as string[]
        found.push(...faults.map((fault) => `${what}, ${width} px: ${fault}`))
      }
    }
    for (const language of ['en', 'de', 'ar']) {
      await page.evaluate(`document.cookie = 'rollbook-language=${language}; Path=/'`)
      await page.reload()
      await page.locator(`html[lang=${language}] main h1`).waitFor()
      for (const route of routes) {
        await follow(page, route)
        await measure(`${language} ${route.replace(/[0-9a-f-]{36}/, '…')}`)
        if (!withDialog.has(route)) continue
        await page.keyboard.press('c')
        await page.getByRole('dialog').waitFor()
        await measure(`${language} ${route}, the dialog`)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
    }
    assert.deepEqual(found, [])
  })
})
