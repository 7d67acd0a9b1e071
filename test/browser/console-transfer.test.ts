import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, it } from 'node:test'
import type { Download, Page } from 'playwright-core'
import { readSheet } from 'read-excel-file/universal'
import { launchBrowser } from '../browser.ts'
import { createUser } from '../harness.ts'
import { addUsers, assertAccessible, assertFitsWidth, openConsole, startConsole } from './console-driver.ts'

const browser = await launchBrowser()

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const fileOf = async (download: Download) => readFile(await download.path(), 'utf8')
const csvFile = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

/** Chooses a file in the dialog that Enter on the field opens. */
async function chooseByKey(page: Page, file: ReturnType<typeof csvFile>): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  const field = page.getByLabel('Choose a file, or drop one here')
  await field.focus()
  await page.keyboard.press('Space')
  await (await chooser).setFiles(file)
}

/** Removes the system's save dialog, as on plain http: exports are downloads. */
async function withoutPicker(page: Page): Promise<void> {
  await page.addInitScript('delete window.showSaveFilePicker')
  await page.reload()
}

const foreign = `Kürzel;Vorname;Name;Mail;Aktiv;Abteilung;Etage
grace;Grace;Hopper;grace@example.com;ja;Navy;1
alan;Alan;"Turing; OBE";alan@example.com;nein;Math;2
no good;Bad;Name;bad@example.com;ja;None;
mary;Mary;Somerville;mary@example.com;perhaps;Sky;
emmy;Emmy;Noether
hedy;Hedy;Lamarr;hedy@example.com;1;Radio;
`

describe('import, export and bulk changes in Chromium', {
  skip: browser === undefined && 'there is no Chromium',
}, () => {
  if (browser === undefined) return
  after(() => browser.close())

  it('imports a file with foreign columns by keyboard, shows every bad row before anything is written, and offers them as a file', async (t) => {
    const { app, api } = await startConsole(t)
    const attribute = { name: 'department', label: 'Abteilung', type: 'string' }
    assert.equal((await app.call('POST', '/attributes', { body: attribute })).status, 201)
    const page = await openConsole(t, browser, { api, path: 'imports' })
    await page.getByRole('link', { name: 'Choose file' }).press('Enter')
    await heading(page, 'Import users').waitFor()
    await chooseByKey(page, csvFile('Mitarbeiter.csv', foreign))

    await page.getByRole('heading', { name: 'Mitarbeiter.csv' }).waitFor()
    const becomes = (column: string) => page.getByLabel(`What ${column} is imported as`, { exact: true }).inputValue()
    assert.deepEqual(
      await Promise.all(['Kürzel', 'Vorname', 'Name', 'Mail', 'Aktiv', 'Abteilung', 'Etage'].map(becomes)),
      ['username', 'first_name', 'last_name', 'email', 'active', 'attributes.department', ''],
    )
    await page.getByText('1 column is not imported: Etage.').waitFor()
    assert.equal(await page.getByLabel('Separator').inputValue(), ';')
    await button(page, 'Check file').press('Enter')
    await page.getByRole('heading', { name: '3 of 6 rows can be imported.' }).waitFor()
    const rows = page.getByRole('table').getByRole('row')
    assert.deepEqual(
      (await rows.allInnerTexts()).slice(1).map((text) => text.split('\t').slice(0, 2)),
      [
        ['4', 'Username'],
        ['5', 'Active'],
        ['6', 'The row'],
      ],
    )
    assert.equal((await app.call('GET', '/users')).body.length, 1, 'nothing is written by the check')

    await button(page, 'Import 3 users').press('Enter')
    await page.getByRole('heading', { name: '3 of 6 rows imported.' }).waitFor()
    const download = page.waitForEvent('download')
    await button(page, 'Download these rows').press('Enter')
    const file = await download
    assert.equal(file.suggestedFilename(), 'Mitarbeiter.rejects.csv')
    const [header, ...rejects] = (await fileOf(file)).replace('\uFEFF', '').split('\r\n')
    assert.equal(
      header,
      'Kürzel;Vorname;Name;Mail;Aktiv;Abteilung;Etage;rejected_row;rejected_line;rejected_code;rejected_detail',
    )
    assert.match(rejects[0] ?? '', /^no good;Bad;Name;bad@example\.com;ja;None;;3;4;username_invalid;/)
    assert.match(rejects[2] ?? '', /^emmy;Emmy;Noether;5;6;malformed_csv;/)
    assert.equal(rejects.length, 4)

    await page.getByRole('link', { name: 'Show new users' }).press('Enter')
    await heading(page, 'Users').waitFor()
    await page.getByText('Turing; OBE').waitFor()
    const { body } = await app.call('GET', '/users?sort=username')
    assert.deepEqual(
      body.map(({ username, active, attributes }: { username: string; active: boolean; attributes: object }) => [
        username,
        active,
        attributes,
      ]),
      [
        ['ada', true, {}],
        ['alan', false, { department: 'Math' }],
        ['grace', true, { department: 'Navy' }],
        ['hedy', true, { department: 'Radio' }],
      ],
    )
  })

  it('continues an import after a reload by itself, and imports every row once', async (t) => {
    const { app, api } = await startConsole(t)
    const page = await openConsole(t, browser, { api, path: 'imports?new=true' })
    const names = Array.from({ length: 1500 }, (_, n) => `user.${n}`)
    await page
      .getByLabel('Choose a file, or drop one here')
      .setInputFiles(csvFile('many.csv', `username\n${names.join('\n')}\n`))
    await button(page, 'Check file').click()
    await button(page, /^Import 1,500 users/).waitFor()
    // Hold back the second part, so that the import is unfinished for a while.
    let isHeld = true
    let held = 0
    await page.route(/\/users\/import\?/, async (route) => {
      const isFirst = new URL(route.request().url()).searchParams.get('from_row') === '0'
      if (isFirst || !isHeld) return route.continue()
      held += 1
    })
    await button(page, /^Import 1,500 users/).click()
    const bar = page.getByRole('progressbar')
    await bar.and(page.locator('[aria-valuenow="33"]')).waitFor()
    await assertAccessible(page, 'an import that is under way')
    isHeld = false
    await page.reload()
    await page.getByRole('heading', { name: 'All 1,500 rows imported.' }).waitFor()
    assert.equal(held, 1)
    assert.equal((await app.call('GET', '/users')).body.length, 1501)
    assert.equal((await app.call('GET', '/imports')).body.length, 2, 'the check and the import')
  })

  it('asks for the file again if nothing is kept, and ends an import for good', async (t) => {
    const { app, api } = await startConsole(t)
    const jobId = '0f0e0d0c-0b0a-4908-8706-050403020100'
    const part = `/users/import?job_id=${jobId}&complete=false`
    const headers = { 'content-type': 'text/csv' }
    const { status } = await app.call('POST', part, { body: 'username\nada.1\nada.2\n', headers })
    assert.equal(status, 200)
    const page = await openConsole(t, browser, { api, path: `imports/${jobId}`, viewport: { width: 390, height: 844 } })
    await page.getByRole('heading', { name: 'Receiving rows' }).waitFor()
    await assertFitsWidth(page, 'an import')
    await assertAccessible(page, 'an import of another user')
    await button(page, 'Cancel import').click()
    await button(page, 'End import').click()
    await page.getByRole('heading', { name: /Cancelled after row 2/ }).waitFor()
    assert.equal((await app.call('GET', `/imports/${jobId}`)).body.state, 'cancelled')
  })

  it('exports exactly the users of the list, as the API returns them', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 120, (i) => ({ active: i % 3 > 0, first_name: i % 2 ? 'Ä "quoted", name' : '=1+1' }))
    const page = await openConsole(t, browser, { api, isNew: true, path: 'users?active=false&sort=-username' })
    await withoutPicker(page)
    await button(page, 'Export users').click()
    const dialog = page.getByRole('dialog', { name: 'Export the users of this list' })
    await dialog.waitFor()
    await assertAccessible(page, 'the export')
    for (const [format, accept] of [
      ['CSV', 'text/csv'],
      ['NDJSON', 'application/x-ndjson'],
      ['JSON', 'application/json'],
    ] as const) {
      await dialog.getByLabel(format, { exact: true }).check()
      const download = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Export users', exact: true }).click()
      const { text } = await app.call('GET', '/users?active=false&sort=-username&include=groups', {
        headers: { accept },
      })
      // By the mark Excel knows that the file is UTF-8.
      const mark = format === 'CSV' ? '\ufeff' : ''
      assert.equal(await fileOf(await download), mark + text, format)
      await dialog.getByText('40 users were exported').waitFor()
      await dialog.getByRole('button', { name: 'Export again' }).click()
    }
    for (const [format, columns, expected] of [
      ['Excel workbook', 'All', 'Username,Email,First name,Last name,External ID,Role,Active,Language,Kind'],
      ['CSV for Excel', 'Those of the list', 'Username,First name,Last name,Active,Email,Role'],
    ] as const) {
      await dialog.getByLabel(format, { exact: true }).check()
      await dialog.getByLabel(columns, { exact: true }).check()
      const downloading = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Export users', exact: true }).click()
      const download = await downloading
      await dialog.getByText('40 users were exported').waitFor()
      const name = download.suggestedFilename()
      assert.match(name, /^[a-z0-9-]+-users-disabled-\d{4}-\d\d-\d\d\.(xlsx|csv)$/)
      const bytes = await readFile(await download.path())
      const rows = name.endsWith('.xlsx')
        ? (await readSheet(new Blob([bytes]), { trim: false })).map((cells) => cells.map(String))
        : bytes
            .toString()
            .split('\r\n')
            .map((line) => line.replace('\ufeff', '').split(','))
      const [labels = [], ...found] = rows
      assert.ok(labels.join().startsWith(expected), labels.join())
      assert.ok(
        labels.some((label) => /^Last sign-in \([\w/+-]+\)$/.test(label)),
        labels.join(),
      )
      assert.match(found[0]?.[0] ?? '', /^user\.\d+$/)
      const firstNames = new Set(found.slice(0, 40).map((cells) => cells[labels.indexOf('First name')]))
      assert.ok(firstNames.has(format === 'CSV for Excel' ? "'=1+1" : '=1+1'), [...firstNames].join())
      await dialog.getByRole('button', { name: 'Export again' }).click()
    }
  })

  it('leaves no file after an export that is cut', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 30)
    const page = await openConsole(t, browser, { api, isNew: true, path: 'imports' })
    await withoutPicker(page)
    let downloads = 0
    page.on('download', () => {
      downloads += 1
    })
    // Like a proxy that ends an answer early without an error.
    await page.route(/\/users\?include=groups&count=true$/, async (route) => {
      const response = await route.fetch()
      const body = await response.text()
      await route.fulfill({ response, body: body.slice(0, body.indexOf('\n', body.length / 2) + 1) })
    })
    await button(page, 'Export all users').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Export users', exact: true }).click()
    await dialog.getByText('The export ended early. No file was written; try again.').waitFor()
    assert.equal(downloads, 0)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`disables all who match but the last administrator, and says so before, ${colorScheme}`, async (t) => {
      const { app, api } = await startConsole(t)
      await createUser(app, { username: 'second', role: 'admin' })
      await app.call('PATCH', `/users/${(await app.call('GET', '/users?username=second')).body[0].user_id}`, {
        body: { active: false },
      })
      await addUsers(app, 60, (i) => (i < 5 ? { active: false } : {}))
      const page = await openConsole(t, browser, { api, colorScheme })
      await page.getByText('user.0060', { exact: true }).first().waitFor()
      await page.getByRole('checkbox').first().press('Space')
      // The bar of the selection comes with both buttons, or with the first alone when every row is selected.
      await button(page, 'Disable').waitFor()
      const all = button(page, /^Select all/)
      if ((await all.count()) > 0) await all.press('Enter')
      await button(page, 'Disable').press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Disable users' })
      await dialog.getByText('Preview: no changes yet.').waitFor()
      await dialog.getByText('This includes you', { exact: false }).waitFor()
      assert.match((await dialog.textContent()) ?? '', /Would be disabled55Already disabled6Refused1/)
      assert.match((await dialog.getByRole('listitem').textContent()) ?? '', /^ada .*last/)
      await assertAccessible(page, 'what would happen')
      assert.equal((await app.call('GET', '/users?active=true')).body.length, 56, 'nothing has happened yet')
      await dialog.getByRole('button', { name: 'Disable 55 users' }).press('Enter')
      await dialog.getByRole('button', { name: 'Download the results' }).waitFor()
      await assertAccessible(page, 'what has happened')
      assert.deepEqual(
        (await app.call('GET', '/users?active=true')).body.map(({ username }: { username: string }) => username),
        ['ada'],
      )
      const download = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Download the results' }).click()
      const lines = (await fileOf(await download)).trim().split('\r\n')
      assert.equal(lines.length, 63)
      assert.match(lines.at(-1) ?? '', /,ada,refused,last_admin,/)
      // Those who were disabled before stay disabled.
      await dialog.getByRole('button', { name: 'Undo: enable 55 users' }).press('Enter')
      await page.getByText('Enabled: 55').waitFor()
      assert.equal((await app.call('GET', '/users?active=true')).body.length, 56)
    })
  }

  it('finds deleted users and restores those who are selected, or all who match', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 60)
    for (const { user_id, username } of (await app.call('GET', '/users')).body)
      if (username !== 'ada') await app.call('DELETE', `/users/${user_id}`)
    await createUser(app, { username: 'user.0011' })
    const page = await openConsole(t, browser, { api, path: 'deleted-users' })
    const names = async () => (await page.getByRole('listitem').locator('bdi').allTextContents()).join(' ')
    await page.getByText('user.0060', { exact: true }).waitFor()
    await assertAccessible(page, 'deleted users')
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption({ label: 'Username, A to Z' })
    await page.getByText('user.0001', { exact: true }).waitFor()
    assert.match(page.url(), /sort=username/)
    await page.getByRole('searchbox', { name: 'Search deleted users' }).fill('user.001')
    await page.getByText('user.0001', { exact: true }).waitFor({ state: 'detached' })
    await page.getByText('user.0019', { exact: true }).waitFor()
    assert.match(await names(), /user\.0010.*user\.0019/)
    await page.getByRole('checkbox', { name: 'Select user.0010' }).press('Space')
    await button(page, 'Select all 10 that match').press('Enter')
    await page.getByText('10 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select user.0019' }).press('Space')
    await page.getByText('9 selected').waitFor()
    await assertAccessible(page, 'a selection of deleted users')
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Restore' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Restore users' })
    await dialog.getByRole('button', { name: 'Restore 8 users' }).waitFor()
    assert.match((await dialog.textContent()) ?? '', /Would be restored8.*Refused1/)
    await dialog.getByRole('button', { name: 'Restore 8 users' }).press('Enter')
    await dialog.getByRole('button', { name: 'Download the results' }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().press('Enter')
    const left = async () => (await app.call('GET', '/deleted-users?q=user.001&sort=username')).body
    assert.deepEqual(
      (await left()).map(({ username }: { username: string }) => username),
      ['user.0011', 'user.0019'],
    )
    await page.getByText('user.0010', { exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Search deleted users' }).fill('nobody at all')
    await page.getByText('No deleted user matches').waitFor()
    await button(page, 'Clear the search').last().click()
    await page.getByText('user.0001', { exact: true }).waitFor()
  })

  it('deletes the selected users, says what is not changed, and restores them', async (t) => {
    const { app, api } = await startConsole(t)
    await addUsers(app, 8)
    const page = await openConsole(t, browser, { api, path: 'users?q=user.000' })
    await page.getByText('user.0001', { exact: true }).first().waitFor()
    await page.getByRole('checkbox').first().click()
    await button(page, 'Delete').click()
    const dialog = page.getByRole('dialog', { name: 'Delete users' })
    await dialog.getByText('database are not changed', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Delete 8 users' }).click()
    await dialog.getByText('Their accounts in the product’s database still exist').click()
    await dialog.getByText("dropuser -- 'user.0008'").waitFor()
    assert.equal((await app.call('GET', '/users')).body.length, 1)
    await assertAccessible(page, 'what was deleted')
    await dialog.getByRole('button', { name: 'Undo: restore 8 users' }).click()
    await page.getByText('Restored: 8').waitFor()
    assert.equal((await app.call('GET', '/users')).body.length, 9)
    await page.getByText('user.0001', { exact: true }).first().waitFor()
  })
})
