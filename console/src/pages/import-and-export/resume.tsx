/** Continues an import whose file this browser has not kept: the user chooses the file again. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ImportJob } from 'rollbook/client'
import { formatNumber } from '../../ui/number.ts'
import { type AttributeTypes, type Mapping, mappingFaults, typesOf } from './columns.ts'
import { ColumnsTable } from './columns-table.tsx'
import { DropZone } from './drop-zone.tsx'
import styles from './imports.module.css'
import { startRun } from './run.ts'
import { type Glance, glanceAt, hasColumns, sampleOf } from './shape.ts'
import { mappingFor, useTarget } from './target.ts'
import { ImportProblem } from './words.tsx'

export function Resume({ job }: { job: ImportJob }) {
  const { t, i18n } = useLingui()
  const readTarget = useTarget()
  const [chosen, setChosen] = useState<
    { file: File; glance: Glance; mapping: Mapping; types: AttributeTypes } | undefined
  >()
  const [problem, setProblem] = useState<unknown>()
  async function choose(file: File) {
    setProblem(undefined)
    try {
      const [glance, target] = await Promise.all([glanceAt(file), readTarget()])
      const isCsv = hasColumns(glance.shape)
      if (isCsv !== (job.format === 'csv'))
        throw new Error(t`This is another file: the import was started with one in ${job.format.toUpperCase()}.`)
      setChosen({
        file,
        glance,
        mapping: mappingFor(glance, glance.shape, target),
        types: typesOf(target.attributes),
      })
    } catch (error) {
      setProblem(error)
    }
  }
  const { match } = job
  if (match === 'identity') {
    return (
      <p className={styles.note}>
        <Trans>This job synchronizes a directory. Synchronize it again to start over.</Trans>
      </p>
    )
  }
  return (
    <div className={styles.stack}>
      <p className={styles.note}>
        <Trans>
          To continue, choose the same file again. Rows up to {formatNumber(job.rows_done, i18n.locale)} count as done.
        </Trans>
      </p>
      {problem !== undefined && <ImportProblem error={problem} />}
      {chosen === undefined ? (
        <DropZone isSmall onFile={(file) => void choose(file)} />
      ) : (
        <>
          <p className={styles.said}>
            <bdi>{chosen.file.name}</bdi>
          </p>
          {chosen.mapping.length > 0 && (
            <ColumnsTable
              {...sampleOf(chosen.glance, chosen.glance.shape)}
              mapping={chosen.mapping}
              onChange={(mapping) => setChosen({ ...chosen, mapping })}
            />
          )}
          <div className={styles.foot}>
            <Button
              disabled={chosen.mapping.length > 0 && mappingFaults(chosen.mapping).repeated.length > 0}
              onClick={() =>
                startRun(
                  job.job_id,
                  {
                    file: chosen.file,
                    shape: chosen.glance.shape,
                    mapping: chosen.mapping,
                    types: chosen.types,
                    options: { mode: job.mode, on_conflict: job.on_conflict, match },
                  },
                  { isDryRun: job.dry_run, done: job },
                )
              }
            >
              <Trans>Continue after row {formatNumber(job.rows_done, i18n.locale)}</Trans>
            </Button>
            <Button variant="default" onClick={() => setChosen(undefined)}>
              <Trans>Choose another file</Trans>
            </Button>
          </div>
        </>
      )}
    </div>
  )
}
