/** From a file to an import: columns, options, and a check of each row. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, NativeSelect, Radio, Skeleton, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ImportJob } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { formatNumber } from '../../ui/number.ts'
import { saveFile } from '../../ui/save-file.ts'
import { Section } from '../../ui/section.tsx'
import { Steps } from '../../ui/steps.tsx'
import { leftOut, mappingFaults, type Target, typesOf, undefinedAttributes } from './columns.ts'
import { ColumnsTable } from './columns-table.tsx'
import { DropZone } from './drop-zone.tsx'
import styles from './imports.module.css'
import { type ImportOptions, type ImportPlan, newJobId } from './plan.ts'
import { ProblemRows } from './problem-rows.tsx'
import { type ImportRun, retryRun, startRun, stopRun, useRun } from './run.ts'
import { RunProgress } from './run-progress.tsx'
import { contentTypeOf, encodings, type Glance, glanceAt, hasColumns, type Shape, sampleOf } from './shape.ts'
import { mappingFor, useTarget } from './target.ts'
import { Counts, ImportProblem, useMemberNames } from './words.tsx'

const usual: ImportOptions = { mode: 'create', on_conflict: 'reject', match: 'username' }

export default function ImportWizard() {
  const { t } = useLingui()
  const readTarget = useTarget()
  const [glance, setGlance] = useState<{ file: File; glance: Glance; target: Target } | undefined>()
  const [plan, setPlan] = useState<ImportPlan | undefined>()
  const [problem, setProblem] = useState<unknown>()
  const [isLooking, setIsLooking] = useState(false)
  const [checkId, setCheckId] = useState<string | undefined>()

  async function choose(file: File) {
    setProblem(undefined)
    setIsLooking(true)
    try {
      const [found, target] = await Promise.all([glanceAt(file), readTarget()])
      setGlance({ file, glance: found, target })
      const mapping = mappingFor(found, found.shape, target)
      setPlan({ file, shape: found.shape, mapping, types: typesOf(target.attributes), options: usual })
    } catch (error) {
      setProblem(error)
    } finally {
      setIsLooking(false)
    }
  }
  const step = checkId !== undefined ? 2 : plan !== undefined ? 1 : 0
  return (
    <div className={styles.stack}>
      <Steps labels={[t`Choose file`, t`Columns and options`, t`Check and import`]} current={step} />
      {problem !== undefined && <ImportProblem error={problem} />}
      {plan === undefined || glance === undefined ? (
        isLooking ? (
          <Skeleton height={224} radius="lg" />
        ) : (
          <>
            <DropZone onFile={(file) => void choose(file)} />
            <Hints />
          </>
        )
      ) : checkId === undefined ? (
        <Settings
          glance={glance.glance}
          target={glance.target}
          plan={plan}
          onChange={setPlan}
          onAnother={() => setPlan(undefined)}
          onCheck={() => {
            const jobId = newJobId()
            startRun(jobId, plan, { isDryRun: true })
            setCheckId(jobId)
          }}
        />
      ) : (
        <Check plan={plan} checkId={checkId} onBack={() => setCheckId(undefined)} />
      )}
    </div>
  )
}

function Hints() {
  const { t } = useLingui()
  return (
    <Section
      title={t`What a file looks like`}
      description={t`Only the username is needed. Columns may have other names and another order: you assign them in the next step.`}
    >
      <CopyLine
        label={t`the example`}
        text={'username,email,first_name,last_name,role\nada.lovelace,ada@example.com,Ada,Lovelace,user'}
      />
      <p className={styles.note}>
        <Trans>Encrypted files, and exports of Keycloak, Auth0 and others, are imported with the command line:</Trans>
      </p>
      <CopyLine label={t`the command`} text="rollbook users import --from keycloak realm-export.json --dry-run" />
    </Section>
  )
}

type SettingsProps = {
  glance: Glance
  target: Target
  plan: ImportPlan
  onChange: (plan: ImportPlan) => void
  onAnother: () => void
  onCheck: () => void
}

function Settings({ glance, target, plan, onChange, onAnother, onCheck }: SettingsProps) {
  const { t } = useLingui()
  const names = useMemberNames()
  const first = useRef<HTMLHeadingElement>(null)
  // The element that had the focus is unmounted.
  useEffect(() => first.current?.focus(), [])
  const { file, shape, mapping, options } = plan
  const isCsv = hasColumns(shape)
  const sample = isCsv ? sampleOf(glance, shape) : { header: [], rows: [] }
  const { repeated, isNameless } = isCsv ? mappingFaults(mapping) : { repeated: [], isNameless: false }
  // Existing users can be matched by another member, too.
  const needsName = isNameless && (options.mode === 'create' || !mapping.some((member) => member === options.match))
  const fault =
    repeated[0] !== undefined
      ? t`Two columns are imported as ${names[repeated[0]] ?? repeated[0]}. Set one of them to “Not imported”.`
      : needsName
        ? t`No column is imported as the username. Choose one.`
        : undefined
  const reread = (change: Partial<Shape>) => {
    const next = { ...shape, ...change }
    onChange({ ...plan, shape: next, mapping: mappingFor(glance, next, target) })
  }
  return (
    <>
      <div className={styles.file}>
        <h2 ref={first} tabIndex={-1} className={styles.said}>
          <bdi>{file.name}</bdi>
        </h2>
        <span>
          <Size bytes={file.size} />
        </span>
        <Button variant="default" size="xs" onClick={onAnother}>
          <Trans>Choose another file</Trans>
        </Button>
      </div>
      <Section
        title={isCsv ? t`Columns` : t`Format`}
        description={
          isCsv
            ? t`Choose what each column is imported as. Other columns are not sent.`
            : t`Each line or element is a user with the fields of the API. There are no columns to assign.`
        }
      >
        {shape.format !== 'xlsx' && <Reading shape={shape} onChange={reread} />}
        {isCsv && (
          <ColumnsTable {...sample} mapping={mapping} onChange={(next) => onChange({ ...plan, mapping: next })} />
        )}
      </Section>
      <Options options={options} onChange={(next) => onChange({ ...plan, options: next })} />
      {fault !== undefined && (
        <p className={styles.warning} role="alert">
          {fault}
        </p>
      )}
      <LeftOut columns={leftOut(sample.header, mapping)} target={target} />
      <div className={styles.foot}>
        <Button disabled={fault !== undefined} onClick={onCheck}>
          <Trans>Check file</Trans>
        </Button>
        <ApiCallButton
          calls={[
            {
              operation: 'POST /users/import',
              query: { ...queryOf(options), dry_run: true },
              file: { name: file.name, contentType: contentTypeOf(shape) },
            },
          ]}
        />
        <span className={styles.note}>
          <Trans>Nothing is written by the check.</Trans>
        </span>
      </div>
    </>
  )
}

/** The columns that are not sent. */
function LeftOut({ columns, target }: { columns: readonly string[]; target: Target }) {
  const { t, i18n } = useLingui()
  if (columns.length === 0) return null
  const named = columns.slice(0, mostNamed).map((name) => name || t`a column without a name`)
  const rest = columns.length - named.length
  const names = new Intl.ListFormat(i18n.locale).format(rest > 0 ? [...named, t`${rest} more`] : named)
  return (
    <p className={styles.note} role="status">
      <Plural value={columns.length} one="# column is not imported:" other="# columns are not imported:" />{' '}
      <bdi>{names}</bdi>.{' '}
      {undefinedAttributes(columns, target).length > 0 && (
        <Trans>Define the attributes among them first if you want to import them.</Trans>
      )}
    </p>
  )
}

const mostNamed = 12

/** How the file is read. */
function Reading({ shape, onChange }: { shape: Shape; onChange: (change: Partial<Shape>) => void }) {
  const { t } = useLingui()
  return (
    <div className={styles.reading}>
      <NativeSelect
        size="sm"
        label={t`Format`}
        value={shape.format}
        data={[
          { value: 'csv', label: 'CSV' },
          { value: 'ndjson', label: t`NDJSON, a user on each line` },
          { value: 'json', label: t`JSON, an array of users` },
        ]}
        onChange={(event) => onChange({ format: event.currentTarget.value as Shape['format'] })}
      />
      {shape.format === 'csv' && (
        <NativeSelect
          size="sm"
          label={t`Separator`}
          value={shape.separator}
          data={[
            { value: ',', label: t`Comma` },
            { value: ';', label: t`Semicolon` },
            { value: '\t', label: t`Tab` },
            { value: '|', label: t`Vertical bar` },
          ]}
          onChange={(event) => onChange({ separator: event.currentTarget.value as Shape['separator'] })}
        />
      )}
      <NativeSelect
        size="sm"
        label={t`Encoding`}
        value={shape.encoding}
        data={encodings.map((encoding) => ({ value: encoding, label: encoding.toUpperCase() }))}
        onChange={(event) => onChange({ encoding: event.currentTarget.value as Shape['encoding'] })}
      />
    </div>
  )
}

function queryOf({ mode, on_conflict, match }: ImportOptions) {
  return { mode, ...(mode === 'create' && { on_conflict }), match }
}

function Options({ options, onChange }: { options: ImportOptions; onChange: (to: ImportOptions) => void }) {
  const { t } = useLingui()
  const names = useMemberNames()
  const chosen = options.mode === 'update' ? 'update' : options.on_conflict
  return (
    <Section
      title={t`Users who already exist`}
      description={t`A row without changes leaves the user unchanged. Existing passwords are kept, even if the file has others.`}
    >
      <Radio.Group
        aria-label={t`Users who already exist`}
        value={chosen}
        onChange={(value) =>
          onChange({
            ...options,
            mode: value === 'update' ? 'update' : 'create',
            on_conflict: value === 'skip' ? 'skip' : 'reject',
          })
        }
      >
        <Stack gap="sm">
          <Radio
            value="reject"
            label={t`Reject the row`}
            description={t`The file should contain new users only; existing users are reported.`}
          />
          <Radio
            value="skip"
            label={t`Skip the row`}
            description={t`New users are created; existing users stay unchanged.`}
          />
          <Radio
            value="update"
            label={t`Change the user`}
            description={t`They get the values of the row. Missing or empty columns do not change them.`}
          />
        </Stack>
      </Radio.Group>
      <div className={styles.reading}>
        <NativeSelect
          size="sm"
          label={t`Match users by`}
          value={options.match}
          data={(['username', 'email', 'external_id', 'user_id'] as const).map((value) => ({
            value,
            label: names[value],
          }))}
          onChange={(event) => onChange({ ...options, match: event.currentTarget.value as ImportOptions['match'] })}
        />
      </div>
    </Section>
  )
}

function Check({ plan, checkId, onBack }: { plan: ImportPlan; checkId: string; onBack: () => void }) {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const run = useRun(checkId)
  const heading = useRef<HTMLHeadingElement>(null)
  const isOver = run?.state === 'done' || run?.state === 'failed'
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when the result has replaced the bar.
  useEffect(() => heading.current?.focus(), [isOver])
  if (run === undefined) return null
  const { job } = run
  const usable = job === undefined ? 0 : job.rows_done - job.rejected
  const effective = job === undefined ? 0 : job.created + job.updated

  function goBack() {
    stopRun(checkId)
    // An unfinished check would be listed as interrupted.
    if (job !== undefined && run?.state !== 'done')
      void api.imports
        .cancel(checkId)
        .catch(() => undefined)
        .finally(() => queries.invalidateQueries({ queryKey: ['imports'] }))
    onBack()
  }
  function startImport() {
    const jobId = newJobId()
    startRun(jobId, { ...plan, totalRows: job?.rows_done }, { isDryRun: false })
    void navigate({ to: '/imports/$jobId', params: { jobId } })
  }
  if (!isOver)
    return (
      <Section title={t`Checking the file`} description={t`Each row is checked as in an import. Nothing is written.`}>
        <RunProgress run={run} job={job} />
        {job !== undefined && <Counts job={job} />}
        <div className={styles.foot}>
          <Button variant="default" onClick={goBack}>
            <Trans>Stop checking</Trans>
          </Button>
        </div>
      </Section>
    )
  if (run.state === 'failed' || job === undefined)
    return (
      <>
        <ImportProblem error={run.problem} retry={() => void retryRun(checkId)} />
        <div className={styles.foot}>
          <Button variant="default" onClick={goBack}>
            <Trans>Back to the settings</Trans>
          </Button>
        </div>
      </>
    )
  return (
    <>
      <h2 ref={heading} tabIndex={-1} className={styles.said}>
        {job.rejected === 0 ? (
          <Plural value={job.rows_done} one="The row can be imported." other="All # rows can be imported." />
        ) : (
          <Trans>
            {formatNumber(usable, i18n.locale)} of {formatNumber(job.rows_done, i18n.locale)} rows can be imported.
          </Trans>
        )}
      </h2>
      <Counts job={job} />
      <div className={styles.foot}>
        <Button disabled={effective === 0} onClick={startImport}>
          <Plural value={effective} one="Import # user" other="Import # users" />
        </Button>
        <Button variant="default" onClick={goBack}>
          <Trans>Back to the settings</Trans>
        </Button>
        <ApiCallButton
          calls={[
            {
              operation: 'POST /users/import',
              query: queryOf(plan.options),
              file: {
                name: plan.file.name,
                contentType: contentTypeOf(plan.shape),
              },
            },
          ]}
        />
        {effective === 0 && (
          <span className={styles.note}>
            <Trans>There is nothing to import: no row would change anything.</Trans>
          </span>
        )}
      </div>
      {job.rejected > 0 && <Rejected job={job} run={run} fileName={plan.file.name} />}
    </>
  )
}

type RejectedProps = { job: ImportJob; run: ImportRun; fileName: string }

function Rejected({ job, run, fileName }: RejectedProps) {
  const { t } = useLingui()
  return (
    <Section
      title={t`Rows that cannot be imported`}
      description={t`The other rows are imported. Correct these in the file and import it again: users who already match the file stay unchanged.`}
      actions={
        <Button size="xs" variant="default" onClick={() => saveFile(run.rejects.toBlob(), run.rejects.name(fileName))}>
          <Trans>Download these rows</Trans>
        </Button>
      }
    >
      <ProblemRows job={job} run={run} />
    </Section>
  )
}

function Size({ bytes }: { bytes: number }) {
  const { i18n } = useLingui()
  const [unit, size] = bytes < 1e6 ? (['kilobyte', 1e3] as const) : (['megabyte', 1e6] as const)
  return new Intl.NumberFormat(i18n.locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(bytes / size)
}
