import settingsStyles from '../settings/settings-page.module.css';
import { ExportPart } from './export-part.tsx';
import { ImportPart } from './import-part.tsx';

/** Takes everything of the community away as a file, and brings badges from another service. For owners. */
export default function TransferPart() {
  return (
    <div className={settingsStyles.stack}>
      <ImportPart />
      <ExportPart />
    </div>
  );
}
