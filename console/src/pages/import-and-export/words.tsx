/** The words for imports. */
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ImportJob } from 'rollbook/client'
import { CsvFault } from '../../../../src/lib/csv-records.ts'
import { WorkbookFault, type WorkbookFaultCode } from '../../../../src/lib/xlsx-reader.ts'
import { useAttributeLabels } from '../../data/attributes.ts'
import { useMemberLabels } from '../../parts/user-details/words.ts'
import { formatNumber } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { State } from '../../ui/state.tsx'
import type { Member, OwnMember } from './columns.ts'
import { FewerRows } from './feed.ts'
import styles from './imports.module.css'
import { FileFault } from './shape.ts'

/** The names of members. An attribute that the reader may not know has none. */
export function useMemberNames(): Record<OwnMember, string> & Partial<Record<Member, string>> {
  const labels = useAttributeLabels()
  return { ...useOwnMemberNames(), ...labels }
}

export function useOwnMemberNames(): Record<OwnMember, string> {
  const { t } = useLingui()
  return {
    ...useMemberLabels(),
    kind: t`Kind`,
    groups: t`Groups`,
    organization: t`Organization`,
    password: t`Password`,
    must_change_password: t`Must change the password`,
    invite: t`Send an invitation`,
    user_id: t`User ID`,
    password_hash: t`Password hash`,
    created_at: t`Created`,
    updated_at: t`Last changed`,
    last_login_at: t`Last sign-in`,
  }
}

export function StateBadge({ job: { state, dry_run, rejected } }: { job: ImportJob }) {
  const { t } = useLingui()
  const [kind, text] = {
    running: ['busy', dry_run ? t`Checking` : t`Running`],
    interrupted: ['warn', t`Interrupted`],
    done:
      rejected > 0
        ? ['warn', t`${plural(rejected, { one: 'Finished, # row rejected', other: 'Finished, # rows rejected' })}`]
        : ['good', dry_run ? t`Checked` : t`Finished`],
    cancelled: ['off', t`Cancelled`],
  }[state] as ['busy' | 'warn' | 'good' | 'off', string]
  return <State kind={kind}>{text}</State>
}

export function Counts({ job }: { job: ImportJob }) {
  const { t, i18n } = useLingui()
  const { dry_run, created, updated, unchanged, skipped, rejected } = job
  const tiles: { label: string; count: number; isShown: boolean; kind?: string }[] = [
    { label: dry_run ? t`Would be created` : t`Created`, count: created, isShown: true },
    {
      label: dry_run ? t`Would be updated` : t`Updated`,
      count: updated,
      isShown: job.mode === 'update' || updated > 0,
    },
    { label: t`Unchanged`, count: unchanged, isShown: true },
    { label: t`Skipped`, count: skipped, isShown: job.on_conflict === 'skip' || skipped > 0 },
    {
      label: dry_run ? t`Would be rejected` : t`Rejected`,
      count: rejected,
      isShown: true,
      ...(rejected > 0 && { kind: 'fault' }),
    },
  ]
  return (
    <dl className={styles.tiles}>
      {tiles
        .filter(({ isShown }) => isShown)
        .map(({ label, count, kind }) => (
          <div key={label} data-kind={kind}>
            <dt>{label}</dt>
            <dd>{formatNumber(count, i18n.locale)}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Explains a fault of a file or its upload, and what to do. */
export function ImportProblem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t, i18n } = useLingui()
  return <Problem error={said(error)} title={t`The file could not be imported.`} retry={retry} />

  function said(fault: unknown): unknown {
    if (fault instanceof FileFault) {
      const texts = {
        empty: t`The file is empty. Choose one with a user on each line.`,
        encrypted: t`This is an encrypted export. Import it with the command line: rollbook users import, which asks for the passphrase.`,
        not_text: t`This is neither text nor an Excel file. Save it as CSV or .xlsx, and choose that file.`,
        damaged: t`The file cannot be read to its end: it is damaged, or its encoding is not the one you chose.`,
      }
      return new Error(texts[fault.code])
    }
    if (fault instanceof WorkbookFault) {
      const texts: Record<WorkbookFaultCode, string> = {
        damaged: t`The Excel file is damaged or cut off. Open it in Excel, and save it again.`,
        password: t`The Excel file is protected with a password. Save it without one, and choose it again.`,
        old_excel: t`This is an Excel file of before 2007 (.xls). Save it as .xlsx or CSV, and choose that file.`,
        other_spreadsheet: t`This is a spreadsheet in another format. Save it as .xlsx or CSV, and choose that file.`,
        not_a_workbook: t`This is a ZIP file, but not an Excel file. Unpack it, or choose another file.`,
        too_large: t`The Excel file becomes too large when it is unpacked. Save the sheet as CSV, and choose that file.`,
        too_many_columns: t`The sheet has more columns than Excel allows. Choose another file.`,
      }
      return new Error(texts[fault.code])
    }
    if (fault instanceof CsvFault) {
      const line = formatNumber(fault.line, i18n.locale)
      return new Error(
        fault.code === 'open_quote'
          ? t`The file ends within quotes. A quote in the row that begins on line ${line} is never closed.`
          : t`The row that begins on line ${line} is longer than 64 KiB. Perhaps a closing quote is missing there.`,
      )
    }
    if (fault instanceof FewerRows)
      return new Error(
        t`The file has fewer rows than were already imported. Choose the file that the import was started with.`,
      )
    if (fault instanceof DOMException && fault.name === 'NotReadableError')
      return new Error(t`The file has changed or no longer exists. Choose it again.`)
    return fault
  }
}
