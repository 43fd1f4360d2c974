export const ClustersView = () => <h1>Clusters</h1>;
