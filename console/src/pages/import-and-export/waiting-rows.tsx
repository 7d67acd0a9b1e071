import { Skeleton } from '@mantine/core'
import styles from './imports.module.css'

export function WaitingRows({ height }: { height: number }) {
  return (
    <div aria-busy="true" className={styles.stack}>
      {[1, 2, 3].map((row) => (
        <Skeleton key={row} height={height} />
      ))}
    </div>
  )
}
