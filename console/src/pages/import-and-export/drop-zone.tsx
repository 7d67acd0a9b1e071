import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { IconImport } from '../../ui/icons.tsx'
import styles from './imports.module.css'

/** Accepts one file, dropped or chosen. */
export function DropZone({ onFile, isSmall = false }: { onFile: (file: File) => void; isSmall?: boolean }) {
  const { t } = useLingui()
  const [isOver, setIsOver] = useState(false)
  return (
    <div className={styles.drop} data-over={isOver} data-small={isSmall}>
      {!isSmall && <IconImport size={28} />}
      <strong>
        <Trans>Drop a file here</Trans>
      </strong>
      <span>
        <Trans>Excel (.xlsx), CSV, NDJSON or JSON of any size, also compressed with gzip</Trans>
      </span>
      <span className={styles.choose} aria-hidden="true">
        <Trans>Choose file</Trans>
      </span>
      <input
        type="file"
        accept=".xlsx,.xlsm,.csv,.tsv,.txt,.ndjson,.jsonl,.json,.gz,text/csv,application/json,application/x-ndjson"
        aria-label={t`Choose a file, or drop one here`}
        onDragEnter={() => setIsOver(true)}
        onDragLeave={() => setIsOver(false)}
        onDrop={() => setIsOver(false)}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          // So that the same file can be chosen again.
          event.currentTarget.value = ''
          if (file !== undefined) onFile(file)
        }}
      />
    </div>
  )
}
