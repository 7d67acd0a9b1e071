import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, PasswordInput, Radio, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import { IncompleteStreamError } from 'rollbook/client'
import { xlsxMediaType } from '../../../../src/lib/xlsx-reader.ts'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { filtersOf, type UsersSearch } from '../../data/search/users.ts'
import { productName } from '../../lib/page-names.ts'
import { directionOf, languageOf } from '../../locales/i18n.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import styles from './export-dialog.module.css'
import { usersFileName } from './export-name.ts'
import {
  type Exported,
  type ExportQuery,
  exportSealed,
  exportSheet,
  exportUsers,
  type ListQuery,
  mediaTypes,
} from './export-users.ts'
import { FormatChoice, isForPeople, type OfferedFormat } from './format-choice.tsx'
import { columnIdsOf } from './sheet.ts'
import { useSheetColumns, useSheetLanguage } from './use-sheet-columns.ts'

type Props = {
  /** The filters and order of the current list. */
  query: UsersSearch
  total: number | undefined
  /** The columns of the list; undefined where there is none. */
  listColumns?: Iterable<string> | undefined
  isOpen: boolean
  onClose: () => void
}

type Work =
  | { state: 'asking' }
  | { state: 'running'; soFar: Exported | undefined }
  | { state: 'done'; result: Exported }
  | { state: 'failed'; problem: unknown }

type How = Parameters<typeof exportUsers>[2]

/** Runs an export, and reports how far it is. */
function useExportWork(onExported: () => void) {
  const [work, setWork] = useState<Work>({ state: 'asking' })
  const abort = useRef<AbortController | undefined>(undefined)
  async function run(make: (how: How) => Promise<Exported | undefined>) {
    const controller = new AbortController()
    abort.current = controller
    setWork({ state: 'running', soFar: undefined })
    try {
      const result = await make({
        signal: controller.signal,
        onProgress: (soFar) => setWork({ state: 'running', soFar }),
      })
      setWork(result === undefined ? { state: 'asking' } : { state: 'done', result })
      if (result !== undefined) onExported()
    } catch (error) {
      setWork(controller.signal.aborted ? { state: 'asking' } : { state: 'failed', problem: error })
    }
  }
  return { work, run, stop: () => abort.current?.abort(), ask: () => setWork({ state: 'asking' }) }
}

/** Exports all users of the list as a file. */
export default function ExportDialog({ query: search, total, listColumns, isOpen, onClose }: Props) {
  const { t, i18n } = useLingui()
  const maySeal = useCan('users:export_hashes')
  const maySeeGroups = useCan('groups:read')
  const [format, setFormat] = useState<OfferedFormat>('xlsx')
  const [areAllColumns, setAreAllColumns] = useState(true)
  const hasOrganizations = useOrganizationsInUse()
  const sheetColumns = useSheetColumns()
  const language = useSheetLanguage()
  const [passphrase, setPassphrase] = useState('')
  const { work, run, stop, ask } = useExportWork(() => setPassphrase(''))
  const filter = filtersOf(search)
  const isAll = Object.keys(filter).length === 0
  const query: ExportQuery = { ...filter, ...(search.sort !== undefined && { sort: search.sort }) }
  const listQuery: ListQuery = { ...query, ...(maySeeGroups && { include: 'groups' }) }
  const isRunning = work.state === 'running'

  function exportList(how: How): Promise<Exported | undefined> {
    const name = usersFileName(productName, filter, new Date())
    if (!isForPeople(format)) return exportUsers(listQuery, { format, name }, how)
    const attributes = sheetColumns.attributes
    const ids = columnIdsOf(areAllColumns ? undefined : listColumns, {
      attributes,
      hasGroups: maySeeGroups,
      hasOrganizations,
    })
    const kind = format === 'xlsx' ? 'xlsx' : 'csv'
    const isRightToLeft = directionOf(languageOf(i18n.locale)) === 'rtl'
    const sheet = { kind, name, title: t`Users`, columns: sheetColumns.of(ids), language, isRightToLeft } as const
    return exportSheet(listQuery, sheet, how)
  }
  function close() {
    stop()
    ask()
    setPassphrase('')
    onClose()
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      size="lg"
      title={isAll ? t`Export all users` : t`Export the users of this list`}
      loses={isRunning ? 'work' : passphrase !== '' && work.state !== 'done' ? 'input' : undefined}
    >
      <Stack gap="md">
        {work.state === 'running' ? (
          <Running soFar={work.soFar} onCancel={stop} />
        ) : work.state === 'done' ? (
          <Done result={work.result} onAgain={ask} onClose={close} />
        ) : (
          <>
            <ListNote isAll={isAll} total={total} />
            {work.state === 'failed' && <ExportProblem error={work.problem} />}
            <FormatChoice format={format} onChange={setFormat} />
            {isForPeople(format) && listColumns !== undefined && (
              <Radio.Group
                label={t`Columns`}
                value={areAllColumns ? 'all' : 'shown'}
                onChange={(value) => setAreAllColumns(value === 'all')}
              >
                <Group gap="lg" pt={8}>
                  <Radio value="all" label={t`All`} />
                  <Radio value="shown" label={t`Those of the list`} />
                </Group>
              </Radio.Group>
            )}
            <DialogFoot
              aside={
                <ApiCallButton calls={[{ operation: 'GET /users', query: listQuery, accept: acceptOf(format) }]} />
              }
            >
              <Button variant="default" onClick={close}>
                <Trans>Cancel</Trans>
              </Button>
              <Button onClick={() => void run(exportList)}>
                <Trans>Export users</Trans>
              </Button>
            </DialogFoot>
            {maySeal && (
              <Sealed
                query={query}
                passphrase={passphrase}
                onPassphrase={setPassphrase}
                onExport={() => void run((how) => exportSealed(query, passphrase, how))}
              />
            )}
          </>
        )}
      </Stack>
    </Dialog>
  )
}

function ListNote({ isAll, total }: { isAll: boolean; total: number | undefined }) {
  const { i18n } = useLingui()
  return (
    <p className={styles.note}>
      {isAll ? (
        <Trans>Every user, in one consistent state. Passwords are not included.</Trans>
      ) : total === undefined ? (
        <Trans>Every user who matches the filters, in the order of the list. Passwords are not included.</Trans>
      ) : (
        <Trans>
          The filters match about {formatNumber(total, i18n.locale)} users. All of them are exported, in the order of
          the list. Passwords are not included.
        </Trans>
      )}
    </p>
  )
}

function ExportProblem({ error }: { error: unknown }) {
  const { t } = useLingui()
  const said =
    error instanceof IncompleteStreamError
      ? new Error(t`The export ended early. No file was written; try again.`)
      : error
  return <Problem error={said} title={t`The users were not exported.`} />
}

function Running({ soFar, onCancel }: { soFar: Exported | undefined; onCancel: () => void }) {
  const { t, i18n } = useLingui()
  const { rows, bytes = 0, total } = soFar ?? {}
  return (
    <>
      <ProgressBar label={t`Exporting`} done={rows ?? 0} total={rows === undefined ? undefined : total}>
        {rows !== undefined && total !== undefined && (
          <span>
            <Trans>
              {formatNumber(rows, i18n.locale)} of {formatNumber(total, i18n.locale)} users
            </Trans>
          </span>
        )}
        <span>
          <Size bytes={bytes} />
        </span>
      </ProgressBar>
      <DialogFoot>
        <Button variant="default" onClick={onCancel} autoFocus>
          <Trans>Cancel</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}

const leastPassphrase = 16

type SealedProps = {
  query: ExportQuery
  passphrase: string
  onPassphrase: (passphrase: string) => void
  onExport: () => void
}

function Sealed({ query, passphrase, onPassphrase, onExport }: SealedProps) {
  const { t } = useLingui()
  const [isTried, setIsTried] = useState(false)
  const isShort = passphrase.length < leastPassphrase
  const { sort: _, ...filter } = query
  return (
    <details className={styles.sealed}>
      <summary>
        <Trans>With password hashes and one-time codes, to move to another store</Trans>
      </summary>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setIsTried(true)
          if (!isShort) onExport()
        }}
      >
        <Stack gap="md">
          <p className={styles.note}>
            <Trans>
              The server encrypts the file with this passphrase before sending it. Anyone with both has the users’
              one-time codes and can try passwords against the hashes: choose a random passphrase, and delete the file
              once it is imported. The audit records the export.
            </Trans>
          </p>
          <PasswordInput
            label={t`Passphrase`}
            description={t`At least 16 characters. Rollbook does not store it: without it the file cannot be opened.`}
            value={passphrase}
            autoComplete="off"
            dir="ltr"
            error={isTried && isShort ? t`At least 16 characters are needed.` : undefined}
            onChange={(event) => onPassphrase(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': t`Show the passphrase` }}
          />
          <DialogFoot
            aside={
              <ApiCallButton
                calls={[
                  {
                    operation: 'POST /users/export',
                    query: filter,
                    body: { passphrase: '…' },
                    accept: 'application/octet-stream',
                  },
                ]}
              />
            }
          >
            <Button type="submit" variant="default">
              <Trans>Export encrypted</Trans>
            </Button>
          </DialogFoot>
        </Stack>
      </form>
    </details>
  )
}

function Size({ bytes }: { bytes: number }) {
  const { i18n } = useLingui()
  const [unit, size] = bytes < 1e6 ? (['kilobyte', 1e3] as const) : (['megabyte', 1e6] as const)
  return new Intl.NumberFormat(i18n.locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(bytes / size)
}

function Done({ result, onAgain, onClose }: { result: Exported; onAgain: () => void; onClose: () => void }) {
  const { i18n } = useLingui()
  return (
    <>
      <p role="status" className={styles.said}>
        <Plural
          value={result.rows ?? 0}
          one="1 user was exported"
          other={`${formatNumber(result.rows ?? 0, i18n.locale)} users were exported`}
        />
        , <Size bytes={result.bytes} />.
      </p>
      <DialogFoot>
        <Button variant="default" onClick={onAgain}>
          <Trans>Export again</Trans>
        </Button>
        <Button onClick={onClose} autoFocus>
          <Trans>Close</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}

/** The API has the same rows for programs. */
function acceptOf(format: OfferedFormat): string {
  if (format === 'xlsx') return xlsxMediaType
  return mediaTypes[isForPeople(format) ? 'csv' : format]
}
