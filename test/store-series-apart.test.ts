import { seriesApartContract } from './contract/series-apart.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(seriesApartContract);
